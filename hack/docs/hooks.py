"""Hooks of MkDocs: pages from outside of docs/, and links that are right on a code host as well as on the site."""

import posixpath
import re
from pathlib import Path

from mkdocs.structure.files import File

ROOT = Path(__file__).parents[2]

# Files outside of docs/ that are pages of the site, by the names of their pages.
PAGES = {"index.md": "README.md", "chart.md": "charts/benchnet/README.md"}

# A link or image of Markdown, or the source of an HTML image, that names a file.
LINK = re.compile(r'(\]\(|src=")([^)#:"\s]+)')


def on_files(files, config):
    for page, source in PAGES.items():
        files.append(File.generated(config, page, abs_src_path=str(ROOT / source)))
    return files


def on_page_markdown(markdown, page, config, files):
    folder = posixpath.dirname(PAGES.get(page.file.src_uri, "docs/" + page.file.src_uri))

    def resolve_link(match):
        path = posixpath.normpath(posixpath.join(folder, match[2]))
        if not (ROOT / path).exists():
            return match[0]  # MkDocs reports it.
        return match[1] + link_from_site(path, config.extra["source"])

    return LINK.sub(resolve_link, markdown)


def link_from_site(path, source):
    """Returns the link to a file: its page, its place below docs/, or its address in the repository."""
    for page, file in PAGES.items():
        if path == file:
            return page
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    return source + path
