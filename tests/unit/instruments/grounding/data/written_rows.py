"""Rows in TinySQL's form, written at random from lists of tables, columns and phrasings."""

import random

from mechaware.instruments.grounding.data.rows import Row

# Each column, and the words that requests use for it besides the column's own. `price` and `cost`,
# and `city` and `town`, name each other and share a word; `unit_price` and `speed` share `rate`.
REQUEST_WORDS = {
    "price": ("cost", "fee", "charge"),
    "cost": ("price", "expense", "charge"),
    "city": ("town", "metro", "municipality"),
    "town": ("city", "village", "municipality"),
    "unit_price": ("rate", "price per unit"),
    "speed": ("velocity", "rate"),
    "phone": ("telephone", "phone number"),
    "created_on": ("birth", "date made"),
    "is_open": ("opened", "currently open"),
    "country": ("nation", "land"),
    "author": ("writer", "creator"),
    "weight": ("mass", "pounds"),
    "photo_url": ("picture", "image link"),
    "rank": ("standing", "place in list"),
    "colour": ("shade", "tint"),
    "pet": ("animal", "companion"),
    "door_code": ("key", "number at the door"),
    "height": ("stature", "elevation"),
    "language": ("tongue", "idiom"),
    "paid_at": ("settled", "time of payment"),
    "salary": ("wage", "pay"),
    "shop_id": ("store", "outlet"),
    "song": ("tune", "melody"),
    "team": ("crew", "squad"),
}
# Each table, and the words that requests use for it besides the table's own.
TABLES = {
    "orders": ("purchases", "things bought"),
    "user_visits": ("visits", "sign-ins"),
    "rank": ("order", "list of winners"),
    "books": ("volumes", "printed works"),
}
PHRASINGS = (
    "SELECT {fields} FROM {table}",
    "Show me {fields} from {table}",
    "Show {fields} from {table}",
    "What's the {fields} from {table}?",
    "In the {table} table, display {fields}",
    "Search {table} and return {fields}",
    "{fields} from {table}",
    "I'd like to see {fields} from {table}, please",
)
# The types that a column may have; every other column has one of `OTHER_TYPES`.
TYPES = {"price": ("DECIMAL(10,2)", "REAL"), "is_open": ("TINYINT(1)",), "created_on": ("DATE",)}
OTHER_TYPES = ("VARCHAR(20)", "TEXT", "INTEGER")


def write_rows(
    count: int, *, max_columns: int = 12, synonyms: float = 0.5, seed: int = 0
) -> list[Row]:
    """Rows with 2 to `max_columns` columns, of which the request asks for one or more.

    A requested column is asked for by another word than its own with the probability `synonyms`.
    """
    generator = random.Random(seed)  # noqa: S311
    rows = []
    for _ in range(count):
        table = generator.choice(list(TABLES))
        possible_columns = [column for column in REQUEST_WORDS if column != table]
        columns = generator.sample(possible_columns, generator.randint(2, max_columns))
        select = generator.sample(columns, generator.randint(1, len(columns)))

        phrases = []
        for column in select:
            has_synonym = generator.random() < synonyms
            phrases.append(generator.choice(REQUEST_WORDS[column]) if has_synonym else column)
        *others, last = phrases
        fields = f"{', '.join(others)} and {last}" if others else last

        entries = []
        for column in columns:
            type_text = generator.choice(TYPES.get(column, OTHER_TYPES))
            entries.append(f"{column} {type_text}")
        phrasing = generator.choice(PHRASINGS)
        table_phrase = generator.choice([table, *TABLES[table]])
        row = Row(
            english_prompt=phrasing.format(fields=fields, table=table_phrase),
            create_statement=f"CREATE TABLE {table} ( {', '.join(entries)} )",
            sql_statement=f"SELECT {', '.join(select)} FROM {table}",  # noqa: S608
            table_name=table,
            table_fields=columns,
            select=select,
        )
        rows.append(row)
    return rows
