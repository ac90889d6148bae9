package delivery

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// fileTimeout limits the upload of one file, with all of its attempts.
const fileTimeout = 2 * time.Minute

// Bucket is the place of uploaded files and the keys for it.
type Bucket struct {
	// Endpoint is the URL of the server: scheme, host and port.
	Endpoint                     string
	Region, Name, Prefix         string
	AccessKeyID, SecretAccessKey string
	// Authorities are certificate authorities in PEM format; empty means those of the system.
	Authorities string
}

// UploadFolders uploads the files of folders, named by the prefix and their own names. Hidden files, such as those with which the
// kubelet updates a volume, are left out.
func UploadFolders(ctx context.Context, to Bucket, folders []string) error {
	client, err := newClient(to)
	if err != nil {
		return err
	}
	for _, folder := range folders {
		entries, err := os.ReadDir(folder)
		if err != nil {
			return fmt.Errorf("list files: %w", err)
		}
		for _, entry := range entries {
			if strings.HasPrefix(entry.Name(), ".") {
				continue
			}
			if err := uploadFile(ctx, client, to, filepath.Join(folder, entry.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

func uploadFile(ctx context.Context, client *minio.Client, to Bucket, file string) error {
	content, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("read file: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, fileTimeout)
	defer cancel()
	name := path.Join(to.Prefix, filepath.Base(file))
	if _, err := client.PutObject(ctx, to.Name, name, bytes.NewReader(content), int64(len(content)), minio.PutObjectOptions{}); err != nil {
		return fmt.Errorf("upload %s to bucket %s of %s: %s", name, to.Name, to.Endpoint, describeError(err))
	}
	return nil
}

// describeError returns the code and the HTTP status of a response, or describes the error of the connection. It leaves out the body of the
// response, since the endpoint may be any server.
func describeError(err error) string {
	response := minio.ToErrorResponse(err)
	switch {
	case response.StatusCode != 0 && isErrorCode(response.Code):
		return fmt.Sprintf("%s (HTTP status %d)", response.Code, response.StatusCode)
	case response.StatusCode != 0:
		return fmt.Sprintf("HTTP status %d", response.StatusCode)
	}
	return cmp.Or(describeConnectionError(err), "the server does not answer as an S3-compatible one")
}

// isErrorCode reports whether the text has the form of an error code of S3, such as NoSuchBucket.
func isErrorCode(text string) bool {
	isNoLetter := func(c rune) bool { return (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') }
	return text != "" && len(text) <= 64 && !strings.ContainsFunc(text, isNoLetter)
}

func newClient(to Bucket) (*minio.Client, error) {
	server, err := url.Parse(to.Endpoint)
	if err != nil || server.Host == "" {
		return nil, fmt.Errorf("endpoint %q is not a URL such as https://s3.example.org", to.Endpoint)
	}
	transport, err := newTransport(to.Authorities)
	if err != nil {
		return nil, err
	}
	client, err := minio.New(server.Host, &minio.Options{Creds: credentials.NewStaticV4(to.AccessKeyID, to.SecretAccessKey, ""),
		Secure: server.Scheme == "https", Region: to.Region, Transport: transport, MaxRetries: 3})
	if err != nil {
		return nil, fmt.Errorf("use endpoint %s: %w", to.Endpoint, err)
	}
	return client, nil
}
