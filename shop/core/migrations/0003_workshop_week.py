"""Which days the workshop works, and how much it makes in a week."""

import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("core", "0002_default_weight"),
    ]

    operations = [
        migrations.AddField(
            model_name='shopsettings',
            name='dispatch_days',
            field=models.CharField(default='12345', max_length=7, validators=[django.core.validators.RegexValidator('\\A[1-7]{1,7}\\Z', 'Choisissez au moins un jour de la semaine.')], verbose_name="jours d'expédition"),
        ),
        migrations.AddField(
            model_name='shopsettings',
            name='making_days',
            field=models.CharField(default='123456', max_length=7, validators=[django.core.validators.RegexValidator('\\A[1-7]{1,7}\\Z', 'Choisissez au moins un jour de la semaine.')], verbose_name='jours de fabrication'),
        ),
        migrations.AddField(
            model_name='shopsettings',
            name='weekly_capacity',
            field=models.PositiveSmallIntegerField(blank=True, help_text='Les dates promises tiennent compte des pièces déjà commandées et pas encore envoyées. Vide : sans limite.', null=True, validators=[django.core.validators.MinValueValidator(1)], verbose_name='pièces fabriquées par semaine'),
        ),
        migrations.AddConstraint(
            model_name='shopsettings',
            constraint=models.CheckConstraint(condition=models.Q(('weekly_capacity__isnull', True), ('weekly_capacity__gte', 1), _connector='OR'), name='shop_settings_capacity_positive'),
        ),
        migrations.AddConstraint(
            model_name='shopsettings',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('making_days', ''), _negated=True), models.Q(('dispatch_days', ''), _negated=True)), name='shop_settings_weekdays_named'),
        ),
    ]
