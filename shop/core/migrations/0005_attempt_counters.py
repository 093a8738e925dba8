from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('core', '0004_mail_attachments'),
    ]

    operations = [
        migrations.CreateModel(
            name='AttemptCounter',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(max_length=64, unique=True)),
                ('count', models.PositiveIntegerField(default=0)),
                ('expires_at', models.DateTimeField(db_index=True)),
            ],
            options={
                'verbose_name': "compteur d'essais",
                'verbose_name_plural': "compteurs d'essais",
            },
        ),
    ]
