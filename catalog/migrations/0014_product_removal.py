"""Products in the archive and the trash, and translations to look at again."""

import django.db.models.functions.text
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('catalog', '0013_filters_by_age'),
    ]

    operations = [
        migrations.AddField(
            model_name='product',
            name='archived_at',
            field=models.DateTimeField(editable=False, null=True, verbose_name='archivé le'),
        ),
        migrations.AddField(
            model_name='product',
            name='stale_texts',
            field=models.JSONField(blank=True, default=list, editable=False, verbose_name='traductions à revoir'),
        ),
        migrations.AddField(
            model_name='product',
            name='trashed_at',
            field=models.DateTimeField(editable=False, null=True, verbose_name='mis à la corbeille le'),
        ),
        migrations.AddField(
            model_name='product',
            name='was_published',
            field=models.BooleanField(default=False, editable=False, verbose_name='publié avant'),
        ),
        migrations.AddIndex(
            model_name='product',
            index=models.Index(condition=models.Q(('archived_at__isnull', True), ('trashed_at__isnull', True)), fields=['-created_at', '-id', 'category'], name='product_staff_newest'),
        ),
        migrations.AddIndex(
            model_name='product',
            index=models.Index(condition=models.Q(('archived_at__isnull', True), ('trashed_at__isnull', True)), fields=['price_from', 'id'], name='product_staff_price'),
        ),
        migrations.AddIndex(
            model_name='product',
            index=models.Index(condition=models.Q(('archived_at__isnull', True), ('trashed_at__isnull', True)), fields=['-updated_at', '-id'], name='product_staff_updated'),
        ),
        migrations.AddIndex(
            model_name='product',
            index=models.Index(django.db.models.functions.text.Lower('name_fr'), models.F('id'), condition=models.Q(('archived_at__isnull', True), ('trashed_at__isnull', True)), name='product_staff_name'),
        ),
        migrations.AddConstraint(
            model_name='product',
            constraint=models.CheckConstraint(condition=models.Q(('is_published', False), models.Q(('archived_at__isnull', True), ('trashed_at__isnull', True)), _connector='OR'), name='product_removed_unpublished', violation_error_message='Un produit archivé ou à la corbeille ne peut pas être publié.'),
        ),
    ]
