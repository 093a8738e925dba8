from django.db import migrations, models


def seed(apps, schema_editor):
    """The number of the general chart of accounts."""
    rows = apps.get_model("orders", "AccountNumber").objects.using(schema_editor.connection.alias)
    rows.get_or_create(
        role="reductions", defaults={"number": "709700", "label": "RRR accordés sur ventes de marchandises"}
    )


def unseed(apps, schema_editor):
    rows = apps.get_model("orders", "AccountNumber").objects.using(schema_editor.connection.alias)
    rows.filter(role="reductions").delete()


class Migration(migrations.Migration):
    dependencies = [("orders", "0014_covered_indexes")]

    operations = [
        migrations.AlterField(
            model_name="accountnumber",
            name="role",
            field=models.CharField(
                choices=[
                    ("customers", "Clients"),
                    ("sales", "Ventes de marchandises"),
                    ("reductions", "Rabais, remises et ristournes accordés"),
                    ("shipping", "Frais de port facturés"),
                    ("vat", "TVA française collectée"),
                    ("oss_vat", "TVA d'autres pays collectée (OSS)"),
                    ("provider", "Compte chez le prestataire de paiement"),
                    ("bank", "Banque"),
                    ("fees", "Frais du prestataire de paiement"),
                    ("owner", "Compte de l'exploitant"),
                ],
                max_length=12,
                unique=True,
                verbose_name="rôle",
            ),
        ),
        migrations.RemoveConstraint(model_name="accountnumber", name="account_role_known"),
        migrations.AddConstraint(
            model_name="accountnumber",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "role__in",
                        [
                            *("customers", "sales", "reductions", "shipping", "vat"),
                            *("oss_vat", "provider", "bank", "fees", "owner"),
                        ],
                    )
                ),
                name="account_role_known",
            ),
        ),
        migrations.RunPython(seed, unseed),
    ]
