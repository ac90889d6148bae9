// Package boundedjson stores documents as gzipped JSON. It bounds what a document may need once it is decoded, because
// reports come from pods that run foreign code.
package boundedjson
