from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("orders", "0012_livigno_customs")]

    operations = [
        migrations.AddField(
            model_name="refundline",
            name="was_sent",
            field=models.BooleanField(db_default=False, default=False, verbose_name="déjà expédiés"),
        ),
    ]
