from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('catalog', '0007_address_labels'),
    ]

    operations = [
        migrations.AddField(
            model_name='product',
            name='sort_name_fr',
            field=models.CharField(blank=True, db_default='', default='', editable=False, max_length=160),
        ),
        migrations.AddField(
            model_name='product',
            name='sort_name_en',
            field=models.CharField(blank=True, db_default='', default='', editable=False, max_length=160),
        ),
        migrations.AddField(
            model_name='product',
            name='sort_name_es',
            field=models.CharField(blank=True, db_default='', default='', editable=False, max_length=160),
        ),
        migrations.AddField(
            model_name='product',
            name='sort_name_de',
            field=models.CharField(blank=True, db_default='', default='', editable=False, max_length=160),
        ),
    ]
