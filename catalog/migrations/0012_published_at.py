from django.db import migrations, models
from django.db.models.functions import Now


class Migration(migrations.Migration):

    dependencies = [
        ('catalog', '0011_names_in_words'),
    ]

    operations = [
        migrations.AddField(
            model_name='product',
            name='published_at',
            field=models.DateTimeField(db_default=Now(), default=None, editable=False, null=True, verbose_name='publié le'),
        ),
    ]
