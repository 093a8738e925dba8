"""The index of words behind the search, and the synonyms that the shop starts with."""

from django.db import migrations

from shop.core.schema_step import SchemaStep

TABLE = "catalog_searchentry"
FULL_TEXT = "catalog_searchentry_words"

# An index of words over the entries' own text. Its triggers go with the table: a migration that changes `SearchEntry`
# on SQLite, where the table is made anew, ends with `create_index` again.
_SQLITE = [
    f"CREATE VIRTUAL TABLE {FULL_TEXT} USING fts5("
    f"words, content='{TABLE}', content_rowid='id', detail=none, columnsize=0)",
    f"CREATE TRIGGER {FULL_TEXT}_insert AFTER INSERT ON {TABLE} BEGIN "
    f"INSERT INTO {FULL_TEXT}(rowid, words) VALUES (new.id, new.words); END",
    f"CREATE TRIGGER {FULL_TEXT}_delete AFTER DELETE ON {TABLE} BEGIN "
    f"INSERT INTO {FULL_TEXT}({FULL_TEXT}, rowid, words) VALUES ('delete', old.id, old.words); END",
    f"CREATE TRIGGER {FULL_TEXT}_update AFTER UPDATE OF id, words ON {TABLE} BEGIN "
    f"INSERT INTO {FULL_TEXT}({FULL_TEXT}, rowid, words) VALUES ('delete', old.id, old.words); "
    f"INSERT INTO {FULL_TEXT}(rowid, words) VALUES (new.id, new.words); END",
    f"INSERT INTO {FULL_TEXT}({FULL_TEXT}) VALUES ('rebuild')",
]
_POSTGRESQL = [
    # What is searched through the index need not lie beside the keys, which are read in their order.
    f"ALTER TABLE {TABLE} SET (toast_tuple_target = 128)",
    f"ALTER TABLE {TABLE} ALTER words SET STATISTICS 1000",
    f"CREATE INDEX {FULL_TEXT} ON {TABLE} USING gin (words) WITH (fastupdate = off)",
    # Beginnings of words are found as ranges, whatever the database's own order of letters.
    'ALTER TABLE catalog_searchword ALTER word TYPE varchar(40) COLLATE "C"',
    # The operators' admin searches this column of many rows: in the row itself it costs a fifth of the side table.
    "ALTER TABLE catalog_product ALTER search_text SET STORAGE MAIN",
]

SYNONYMS = {
    "fr": (
        "porte-clés, porte-clefs, porteclé",
        "dragon, dragonne, wyverne",
        "grenouille, rainette",
        "sorcière, magicienne, enchanteresse",
        "mage, magicien, sorcier",
        "lapin, lapine, lapinou",
        "chouette, hibou",
        "ours, ourson",
        "pieuvre, poulpe",
        "pendule, horloge",
        "boule de Noël, boule",
        "pokéball, orbe",
        "peluche, amigurumi, crochet",
        "statuette, figurine",
        "à peindre, non peint",
        "chevalier, chevalière, guerrier, guerrière",
        "cadeau, goodies",
        "jeu vidéo, jeux vidéo, gaming",
        "manga, animé",
    ),
    "en": (
        "key ring, keyring, keychain",
        "elf, elves",
        "wolf, wolves",
        "frog, tree frog",
        "witch, sorceress, enchantress",
        "mage, wizard, sorcerer",
        "rabbit, bunny",
        "octopus, squid",
        "bauble, ornament",
        "pokeball, orb",
        "plush, amigurumi, crochet",
        "statuette, figurine, figure",
        "unpainted, to paint",
        "knight, warrior",
        "Christmas, Xmas, Noel",
        "video game, gaming",
    ),
    "es": (
        "llavero, portallaves",
        "rana, ranita",
        "bruja, hechicera, maga",
        "mago, hechicero, brujo",
        "conejo, conejito, coneja",
        "búho, lechuza",
        "oso, osito",
        "pulpo, calamar",
        "bola de Navidad, bola, adorno",
        "pokeball, orbe",
        "peluche, amigurumi, ganchillo",
        "estatuilla, figura",
        "sin pintar, para pintar",
        "caballero, guerrero, guerrera",
        "Navidad, Noel",
        "videojuego, gaming",
    ),
    "de": (
        "Schlüsselanhänger, Schlüsselring",
        "Frosch, Laubfrosch",
        "Hexe, Zauberin, Magierin",
        "Magier, Zauberer",
        "Hase, Häschen, Kaninchen",
        "Bär, Bärchen, Teddy",
        "Krake, Oktopus, Tintenfisch",
        "Weihnachtskugel, Christbaumkugel, Kugel",
        "Pokeball, Orb",
        "Plüschtier, Kuscheltier, Amigurumi, häkeln",
        "Statuette, Figur, Sammelfigur",
        "unbemalt, zum Bemalen",
        "Ritter, Krieger, Kriegerin",
        "Weihnachten, Noel",
        "Videospiel, Gaming",
    ),
}


def create_index(apps, schema_editor):
    for statement in _POSTGRESQL if schema_editor.connection.vendor == "postgresql" else _SQLITE:
        schema_editor.execute(statement, params=None)


def drop_index(apps, schema_editor):
    """The index of PostgreSQL goes with its table; the triggers of SQLite go with theirs."""
    if schema_editor.connection.vendor != "postgresql":
        for event in ("insert", "delete", "update"):
            schema_editor.execute(f"DROP TRIGGER {FULL_TEXT}_{event}", params=None)
        schema_editor.execute(f"DROP TABLE {FULL_TEXT}", params=None)


def add_synonyms(apps, schema_editor):
    synonym = apps.get_model("catalog", "Synonym")
    synonym.objects.bulk_create(
        synonym(language=language, words=words) for language, groups in SYNONYMS.items() for words in groups
    )


class Migration(migrations.Migration):
    replaces = [("catalog", "0005_search")]
    dependencies = [("catalog", "0001_initial")]

    operations = [
        SchemaStep(create_index, drop_index),
        migrations.RunPython(add_synonyms, migrations.RunPython.noop),
    ]
