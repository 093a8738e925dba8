import django.db.models.deletion
from django.db import migrations, models

from shop.core.covered_indexes import drop_covered


class Migration(migrations.Migration):
    # Beside sales: PostgreSQL drops an index at leisure outside a transaction only.
    atomic = False

    dependencies = [
        ("blog", "0005_campaign_category_name"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                drop_covered("blog_articleautosave_article_id_cb0fdcd7", "blog_articleautosave (article_id)"),
                drop_covered("blog_articlerevision_article_id_8897d825", "blog_articlerevision (article_id)"),
                drop_covered(
                    "blog_campaignrecipient_campaign_id_df2bff82", "blog_campaignrecipient (campaign_id)"
                ),
                drop_covered("blog_campaigntext_campaign_id_b9675118", "blog_campaigntext (campaign_id)"),
            ],
            state_operations=[
                migrations.AlterField(
                    model_name="articleautosave",
                    name="article",
                    field=models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="autosaves",
                        to="blog.article",
                        verbose_name="article",
                    ),
                ),
                migrations.AlterField(
                    model_name="articlerevision",
                    name="article",
                    field=models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="revisions",
                        to="blog.article",
                        verbose_name="article",
                    ),
                ),
                migrations.AlterField(
                    model_name="campaignrecipient",
                    name="campaign",
                    field=models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="recipients",
                        to="blog.campaign",
                        verbose_name="lettre",
                    ),
                ),
                migrations.AlterField(
                    model_name="campaigntext",
                    name="campaign",
                    field=models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="texts",
                        to="blog.campaign",
                        verbose_name="lettre",
                    ),
                ),
            ],
        ),
    ]
