"""The zones, territories and VAT rates that the shop starts with; staff change them."""

from decimal import Decimal

from django.db import migrations

LANGUAGES = ("fr", "en", "es", "de")

# Switzerland and Norway are in the first zone and outside the Union: `duties_notice`. The carriers ask the same for all
# of the Union; the first zone's rate is a gesture to the neighbours who buy most.
ZONES = (
    {
        "code": "france-europe",
        "names": ("France et Europe", "France and Europe", "Francia y Europa", "Frankreich und Europa"),
        "countries": "FR DE ES IT BE NL PT AT CH LU DK SE NO FI".split(),
        "rate": Decimal("9.99"),
        "free_from": Decimal("50.00"),
        "delivery_days_min": 2,
        "delivery_days_max": 5,
        "position": 1,
    },
    {
        "code": "rest-of-world",
        "names": ("Reste du monde", "Rest of the world", "Resto del mundo", "Übrige Welt"),
        "countries": "US CA GB JP AU".split(),
        "rate": Decimal("49.99"),
        "free_from": None,
        "delivery_days_min": 5,
        "delivery_days_max": 15,
        "is_fallback": True,
        "position": 4,
    },
    {
        "code": "rest-of-union",
        "names": (
            "Reste de l'Union européenne et petits États voisins",
            "Rest of the European Union and small neighbouring states",
            "Resto de la Unión Europea y pequeños Estados vecinos",
            "Übrige Europäische Union und benachbarte Kleinstaaten",
        ),
        "countries": "BG CY CZ EE GR HR HU IE LT LV MT PL RO SI SK AD LI SM VA".split(),
        "rate": Decimal("14.99"),
        "free_from": Decimal("100.00"),
        "delivery_days_min": 3,
        "delivery_days_max": 8,
        "position": 2,
    },
    # Overseas parcels go by air and by weight: about what the post charges at its counter.
    {
        "code": "overseas-france",
        "names": (
            "Outre-mer français",
            "French overseas territories",
            "Territorios franceses de ultramar",
            "Französische Überseegebiete",
        ),
        "countries": "GP MQ GF RE YT MF BL PM WF PF NC TF".split(),
        "rate": Decimal("39.99"),
        "free_from": None,
        "delivery_days_min": 7,
        "delivery_days_max": 15,
        "position": 3,
    },
)
OVERSEAS_STEPS = ((1000, Decimal("19.99")), (2000, Decimal("27.99")))

# Standard VAT rates of the Union, November 2026.
VAT_RATES = {
    "AT": "20", "BE": "21", "BG": "20", "CY": "19", "CZ": "21", "DE": "19", "DK": "25", "EE": "24", "ES": "21",
    "FI": "25.5", "FR": "20", "GR": "24", "HR": "25", "HU": "27", "IE": "23", "IT": "22", "LT": "21", "LU": "17",
    "LV": "21", "MT": "18", "NL": "21", "PL": "23", "PT": "23", "RO": "21", "SE": "25", "SI": "22", "SK": "23",
}

# Code; country written in the address and its postcodes; what it counts as; VAT; in the customs area; own VAT rate;
# own zone; name. Directive 2006/112/EC: art. 6(1) Mount Athos, Canary Islands, French territories, Åland, Campione;
# art. 6(2) Heligoland, Büsingen, Ceuta, Melilla, Livigno; art. 7 Monaco; art. 104-105 rates of Austrian and Portuguese
# regions. Regulation (EU) 952/2013, art. 4: customs area. Northern Ireland: Windsor Framework, art. 5 and 8, goods only.
TERRITORIES = (
    ("MC", "FR", "980", "MC", "home", True, None, "france-europe", "Monaco Monaco Mónaco Monaco"),
    ("GP", "FR", "971", "GP", "outside", True, None, "", "Guadeloupe Guadeloupe Guadalupe Guadeloupe"),
    ("MQ", "FR", "972", "MQ", "outside", True, None, "", "Martinique Martinique Martinica Martinique"),
    ("GF", "FR", "973", "GF", "outside", True, None, "", "Guyane|French Guiana|Guayana Francesa|Französisch-Guayana"),
    ("RE", "FR", "974", "RE", "outside", True, None, "", "La Réunion|Réunion|Reunión|Réunion"),
    ("YT", "FR", "976", "YT", "outside", True, None, "", "Mayotte Mayotte Mayotte Mayotte"),
    ("MF", "FR", "97150, 978", "MF", "outside", True, None, "", "Saint-Martin|Saint Martin|San Martín|Saint-Martin"),
    ("BL", "FR", "97133, 977", "BL", "outside", False, None, "",
     "Saint-Barthélemy|Saint Barthélemy|San Bartolomé|Saint-Barthélemy"),
    ("PM", "FR", "975", "PM", "outside", False, None, "",
     "Saint-Pierre-et-Miquelon|Saint Pierre and Miquelon|San Pedro y Miquelón|Saint-Pierre und Miquelon"),
    ("TF", "FR", "984", "TF", "outside", False, None, "",
     "Terres australes et antarctiques françaises|French Southern Territories|Tierras Australes Francesas"
     "|Französische Süd- und Antarktisgebiete"),
    ("WF", "FR", "986", "WF", "outside", False, None, "",
     "Wallis-et-Futuna|Wallis and Futuna|Wallis y Futuna|Wallis und Futuna"),
    ("PF", "FR", "987", "PF", "outside", False, None, "",
     "Polynésie française|French Polynesia|Polinesia Francesa|Französisch-Polynesien"),
    ("NC", "FR", "988", "NC", "outside", False, None, "",
     "Nouvelle-Calédonie|New Caledonia|Nueva Caledonia|Neukaledonien"),
    ("ES-CN", "ES", "35, 38", "ES", "outside", True, None, "",
     "Îles Canaries|Canary Islands|Islas Canarias|Kanarische Inseln"),
    ("ES-CE", "ES", "51", "ES", "outside", False, None, "", "Ceuta Ceuta Ceuta Ceuta"),
    ("ES-ML", "ES", "52", "ES", "outside", False, None, "", "Melilla Melilla Melilla Melilla"),
    ("AX", "FI", "22", "AX", "outside", True, None, "france-europe",
     "Îles Åland|Åland Islands|Islas Åland|Åland"),
    ("IT-LIVIGNO", "IT", "23041", "IT", "outside", False, None, "", "Livigno Livigno Livigno Livigno"),
    ("IT-CAMPIONE", "IT", "22061", "IT", "outside", True, None, "",
     "Campione d'Italia|Campione d'Italia|Campione d'Italia|Campione d'Italia"),
    ("SM", "IT", "4789", "SM", "outside", False, None, "", "Saint-Marin|San Marino|San Marino|San Marino"),
    ("VA", "IT", "00120", "VA", "outside", False, None, "", "Vatican|Vatican City|Vaticano|Vatikanstadt"),
    ("DE-BUESINGEN", "DE", "78266", "DE", "outside", False, None, "",
     "Büsingen am Hochrhein|Büsingen am Hochrhein|Büsingen am Hochrhein|Büsingen am Hochrhein"),
    ("DE-HELGOLAND", "DE", "27498", "DE", "outside", False, None, "", "Héligoland Heligoland Heligoland Helgoland"),
    ("GR-69", "GR", "63086-63087", "GR", "outside", True, None, "",
     "Mont Athos|Mount Athos|Monte Athos|Berg Athos"),
    ("GL", "DK", "39", "GL", "outside", False, None, "", "Groenland Greenland Groenlandia Grönland"),
    ("LI", "CH", "9485-9498", "LI", "outside", False, None, "",
     "Liechtenstein Liechtenstein Liechtenstein Liechtenstein"),
    ("GB-NIR", "GB", "BT", "GB", "union", True, Decimal("20.00"), "",
     "Irlande du Nord|Northern Ireland|Irlanda del Norte|Nordirland"),
    ("PT-20", "PT", "95-99", "PT", "union", True, Decimal("16.00"), "", "Açores Azores Azores Azoren"),
    ("PT-30", "PT", "90-94", "PT", "union", True, Decimal("22.00"), "", "Madère Madeira Madeira Madeira"),
    ("AT-EXCLAVES", "AT", "6691, 6991-6993", "AT", "union", True, Decimal("19.00"), "",
     "Jungholz et Mittelberg|Jungholz and Mittelberg|Jungholz y Mittelberg|Jungholz und Mittelberg"),
)  # fmt: skip


def create_zones(apps, schema_editor):
    alias = schema_editor.connection.alias
    zones, territories, steps = (
        apps.get_model("orders", name).objects.using(alias)
        for name in ("ShippingZone", "Territory", "ShippingRateStep")
    )
    own = {}
    for values in ZONES:
        zone = zones.model(**{name: value for name, value in values.items() if name != "names"})
        _name(zone, values["names"])
        zone.save(using=alias)
        own[zone.code] = zone
    for grams, rate in OVERSEAS_STEPS:
        steps.create(zone=own["overseas-france"], up_to_grams=grams, rate=rate)
    for code, within, postcodes, country, vat, in_customs_area, percent, zone, names in TERRITORIES:
        row = territories.model(
            code=code,
            within=within,
            postcodes=postcodes,
            country=country,
            vat=vat,
            in_customs_area=in_customs_area,
            vat_percent=percent,
            zone=own.get(zone),
        )
        _name(row, names.split("|") if "|" in names else names.split(" "))
        row.save(using=alias)


def create_vat_rates(apps, schema_editor):
    rates = apps.get_model("orders", "VatRate").objects.using(schema_editor.connection.alias)
    for country, percent in VAT_RATES.items():
        rates.create(country=country, percent=Decimal(percent))


def _name(row, names):
    row.name = names[0]
    for language, name in zip(LANGUAGES, names, strict=True):
        setattr(row, f"name_{language}", name)


class Migration(migrations.Migration):
    replaces = [("orders", "0004_ship_zones_and_territories")]
    dependencies = [("orders", "0001_initial")]

    operations = [
        migrations.RunPython(create_zones, migrations.RunPython.noop),
        migrations.RunPython(create_vat_rates, migrations.RunPython.noop),
    ]
