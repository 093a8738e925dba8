from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('catalog', '0009_fill_sort_names'),
    ]

    operations = [
        migrations.AddIndex(
            model_name='product',
            index=models.Index(condition=models.Q(('archived_at__isnull', True), ('trashed_at__isnull', True)), fields=['sort_name_fr', 'id'], name='product_staff_sort'),
        ),
        migrations.AddIndex(
            model_name='product',
            index=models.Index(condition=models.Q(('is_published', True)), fields=['sort_name_fr', 'id'], name='product_sort_fr'),
        ),
        migrations.AddIndex(
            model_name='product',
            index=models.Index(condition=models.Q(('is_published', True)), fields=['sort_name_en', 'id'], name='product_sort_en'),
        ),
        migrations.AddIndex(
            model_name='product',
            index=models.Index(condition=models.Q(('is_published', True)), fields=['sort_name_es', 'id'], name='product_sort_es'),
        ),
        migrations.AddIndex(
            model_name='product',
            index=models.Index(condition=models.Q(('is_published', True)), fields=['sort_name_de', 'id'], name='product_sort_de'),
        ),
        migrations.RemoveIndex(
            model_name='product',
            name='product_staff_name',
        ),
        migrations.RemoveIndex(
            model_name='product',
            name='product_name_fr',
        ),
        migrations.RemoveIndex(
            model_name='product',
            name='product_name_en',
        ),
        migrations.RemoveIndex(
            model_name='product',
            name='product_name_es',
        ),
        migrations.RemoveIndex(
            model_name='product',
            name='product_name_de',
        ),
    ]
