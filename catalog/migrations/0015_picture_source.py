from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('catalog', '0014_published_indexes'),
    ]

    operations = [
        migrations.AddField(
            model_name='productimage',
            name='source_url',
            field=models.CharField(blank=True, db_default='', default='', editable=False, max_length=2000, verbose_name="adresse d'origine"),
        ),
    ]
