"""Files of removed pictures stay while somebody shows them."""

import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('catalog', '0007_promotions'),
    ]

    operations = [
        migrations.CreateModel(
            name='RetiredPicture',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('file', models.FileField(max_length=120, upload_to='')),
                ('derivatives', models.JSONField(default=dict)),
                ('retired_at', models.DateTimeField(default=django.utils.timezone.now)),
            ],
        ),
    ]
