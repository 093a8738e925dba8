"""Livigno is outside the customs territory of the Union (Regulation (EU) 952/2013, art. 4(1)); it was shipped as inside."""

from django.db import migrations


def correct_livigno(apps, schema_editor):
    rows = apps.get_model("orders", "Territory").objects.using(schema_editor.connection.alias)
    rows.filter(code="IT-LIVIGNO", vat="outside").update(in_customs_area=False)


class Migration(migrations.Migration):
    dependencies = [("orders", "0011_french_names_at_work")]

    operations = [migrations.RunPython(correct_livigno, migrations.RunPython.noop)]
