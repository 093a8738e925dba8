"""The part and the point of a photo that are shown."""

import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('catalog', '0014_product_removal'),
    ]

    operations = [
        migrations.AddField(
            model_name='productimage',
            name='crop',
            field=models.JSONField(blank=True, default=dict, editable=False, verbose_name='recadrage'),
        ),
        migrations.AddField(
            model_name='productimage',
            name='focus_x',
            field=models.PositiveSmallIntegerField(blank=True, null=True, validators=[django.core.validators.MaxValueValidator(100)], verbose_name='point important, de gauche (%)'),
        ),
        migrations.AddField(
            model_name='productimage',
            name='focus_y',
            field=models.PositiveSmallIntegerField(blank=True, null=True, validators=[django.core.validators.MaxValueValidator(100)], verbose_name='point important, du haut (%)'),
        ),
        migrations.AddField(
            model_name='productimage',
            name='whole',
            field=models.JSONField(blank=True, default=dict, editable=False, verbose_name='image entière'),
        ),
        migrations.AddConstraint(
            model_name='productimage',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('focus_x__isnull', True), ('focus_y__isnull', True)), models.Q(('focus_x__range', (0, 100)), ('focus_y__range', (0, 100))), _connector='OR'), name='product_image_focus_in_picture'),
        ),
    ]
