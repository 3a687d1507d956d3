"""The models and the judges that a config may name: lists in config/, and its own entries."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

from mechaware.core.errors import UserError
from mechaware.core.own_folder import own_folder
from mechaware.core.schema import check, check_choice
from mechaware.core.yaml_files import read_yaml
from mechaware.doors.checks.files import shown_path

# Name -> settings of a model or a judge.
Entries = Mapping[str, Mapping[str, Any]]
Kind = Literal["models", "judges"]


class ListedEntries(NamedTuple):
    """The models or the judges that a config may name.

    - `kind`: models or judges.
    - `entries`: all entries, those of config/{kind}.yaml and those of the config's section {kind}.
    - `own`: only the entries of the config's section.
    - `file`: config/{kind}.yaml, as messages name it.
    """

    kind: Kind
    entries: Entries
    own: Entries
    file: Path

    @property
    def sources(self) -> str:
        """Where an entry may be, for messages: the file, and the config if it has entries."""
        return f"{self.file} or under {self.kind} of the config" if self.own else str(self.file)

    def source(self, name: str) -> str:
        """Where the entry `name` is, for messages: the file or the config, and the name."""
        return f"config, {self.kind}/{name}" if name in self.own else f"{self.file}, {name}"

    def check_listed(self, name: str, where: str) -> None:
        """Raise `UserError` for a name without an entry; `where` is the key that has the name."""
        try:
            check_choice(name, self.entries, where, self.sources)
        except UserError as error:
            # A user who has a file config/{kind}.yaml expects it to be read.
            unread = own_folder() / f"config/{self.kind}.yaml"
            if not unread.exists() or unread.samefile(self.file):
                raise
            raise UserError(
                f"{error}; config/{self.kind}.yaml of your folder is not read: put its entries under {self.kind} of "
                "your config"
            ) from None


def read_entries(
    kind: Kind, config: Mapping[str, Any], schema: Mapping[str, Any], repository: Path
) -> ListedEntries:
    """The entries of config/{kind}.yaml and of the config.

    Args:
        kind: models or judges.
        config: The config after it has passed its schema.
        schema: The config's JSON Schema; its `$defs` has the schema of the list.
        repository: The folder that holds config/.

    Raises:
        UserError: The list cannot be read or does not pass its schema, or an entry of the config
            has the same name as one of the list.
    """
    file = shown_path(f"config/{kind}.yaml", repository)
    document = read_yaml(file, str(file))
    check(document, {"$defs": schema["$defs"], "$ref": f"#/$defs/{kind}"}, str(file))
    listed = {str(name): entry for name, entry in document.items()}

    own = config[kind]
    for name in own:
        if name in listed:
            raise UserError(
                f"config, {kind}/{name}: {file} has an entry of this name; rename yours"
            )
    return ListedEntries(kind, entries=listed | own, own=own, file=file)
