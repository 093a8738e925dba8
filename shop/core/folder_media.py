"""Media in folders of this machine: pictures in `media/`, what visitors send in `private/`."""

from __future__ import annotations

from typing import Any

from django.core.files.storage import FileSystemStorage


class FolderMediaStorage(FileSystemStorage):
    """A folder that keeps no part of a file: on a full disk the rest of it could be named by no row."""

    def _save(self, name: str, content: Any) -> str:
        try:
            # The stubs leave it out.
            return str(super()._save(name, content))  # type: ignore[misc]
        except OSError:
            # Whole is only a file of another writer under the same name.
            if self.exists(name) and self.size(name) < content.size:
                self.delete(name)
            raise
