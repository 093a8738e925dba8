
import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('catalog', '0015_picture_crops'),
    ]

    operations = [
        migrations.CreateModel(
            name='PictureImport',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('url', models.CharField(max_length=2000)),
                ('position', models.PositiveSmallIntegerField(default=0)),
                ('state', models.CharField(choices=[('queued', 'En attente'), ('failed', 'Échec')], default='queued', max_length=10)),
                ('failure', models.CharField(blank=True, default='', max_length=40)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('next_attempt_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('lease_until', models.DateTimeField(null=True)),
                ('product', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='picture_imports', to='catalog.product')),
                ('variation', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='catalog.productvariation')),
            ],
            options={
                'verbose_name': 'photo à copier',
                'verbose_name_plural': 'photos à copier',
                'ordering': ('position', 'pk'),
                'indexes': [models.Index(condition=models.Q(('state', 'queued')), fields=['next_attempt_at'], name='import_due')],
                'constraints': [models.CheckConstraint(condition=models.Q(('state__in', ['queued', 'failed'])), name='import_state_known')],
            },
        ),
    ]
