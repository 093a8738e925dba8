from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("orders", "0020_vocabulary_more")]

    operations = [
        migrations.RenameField("attempt", "session_id", "checkout_session_id"),
        migrations.RenameField("attempt", "session_url", "checkout_session_url"),
        migrations.RenameField("cardchange", "session_id", "checkout_session_id"),
        migrations.RenameField("cardchange", "session_url", "checkout_session_url"),
    ]
