from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('orders', '0015_labels'),
    ]

    operations = [
        migrations.AddField(
            model_name='stockhold',
            name='mailbox',
            field=models.CharField(blank=True, db_default='', default='', editable=False, max_length=64),
        ),
        migrations.AddField(
            model_name='stockhold',
            name='network',
            field=models.CharField(blank=True, db_default='', default='', editable=False, max_length=64),
        ),
        migrations.AddIndex(
            model_name='stockhold',
            index=models.Index(condition=models.Q(('network', ''), _negated=True), fields=['network'], name='hold_by_network'),
        ),
        migrations.AddIndex(
            model_name='stockhold',
            index=models.Index(condition=models.Q(('mailbox', ''), _negated=True), fields=['mailbox'], name='hold_by_mailbox'),
        ),
    ]
