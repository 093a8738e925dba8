

import django.db.models.deletion
import django.utils.timezone
import shop.pages.models.content
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('catalog', '0002_append_only_prices_and_search_index'),
    ]

    operations = [
        migrations.CreateModel(
            name='ContactRequest',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('reference', models.CharField(editable=False, max_length=8, unique=True, verbose_name='référence')),
                ('fingerprint', models.CharField(editable=False, max_length=64, unique=True, verbose_name='empreinte')),
                ('kind', models.CharField(choices=[('question', 'Une question'), ('quote', 'Un devis')], max_length=10, verbose_name='type')),
                ('state', models.CharField(choices=[('new', 'Nouvelle'), ('answered', 'Répondue')], db_index=True, default='new', max_length=10, verbose_name='état')),
                ('first_name', models.CharField(max_length=80, verbose_name='prénom')),
                ('last_name', models.CharField(max_length=80, verbose_name='nom')),
                ('email', models.EmailField(max_length=254, verbose_name='e-mail')),
                ('subject', models.CharField(max_length=150, verbose_name='sujet')),
                ('message', models.TextField(verbose_name='message')),
                ('budget', models.CharField(blank=True, max_length=60, verbose_name='budget')),
                ('deadline', models.DateField(blank=True, null=True, verbose_name='date souhaitée')),
                ('language', models.CharField(max_length=5, verbose_name='langue')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False, verbose_name='reçue le')),
                ('answered_at', models.DateTimeField(blank=True, editable=False, null=True, verbose_name='répondue le')),
                ('product', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='catalog.product', verbose_name='pièce')),
            ],
            options={
                'verbose_name': 'demande de contact',
                'verbose_name_plural': 'demandes de contact',
                'ordering': ('-created_at', '-pk'),
            },
        ),
        migrations.CreateModel(
            name='ContactImage',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('file', models.CharField(editable=False, max_length=120, verbose_name='fichier')),
                ('width', models.PositiveIntegerField(editable=False, verbose_name='largeur')),
                ('height', models.PositiveIntegerField(editable=False, verbose_name='hauteur')),
                ('request', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='images', to='pages.contactrequest')),
            ],
            options={
                'verbose_name': 'image de référence',
                'verbose_name_plural': 'images de référence',
                'ordering': ('pk',),
            },
        ),
        migrations.CreateModel(
            name='FaqEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.SlugField(blank=True, editable=False, max_length=60, null=True, unique=True, verbose_name='identifiant')),
                ('category', models.CharField(choices=[('creation', 'Figurines et création'), ('quality', 'Qualité et techniques'), ('delivery', 'Commande et livraison'), ('prices', 'Tarifs et garanties')], max_length=12, verbose_name='chapitre')),
                ('question', models.CharField(max_length=200, verbose_name='question')),
                ('question_fr', models.CharField(max_length=200, null=True, verbose_name='question')),
                ('question_en', models.CharField(max_length=200, null=True, verbose_name='question')),
                ('question_es', models.CharField(max_length=200, null=True, verbose_name='question')),
                ('question_de', models.CharField(max_length=200, null=True, verbose_name='question')),
                ('answer', models.TextField(verbose_name='réponse')),
                ('answer_fr', models.TextField(null=True, verbose_name='réponse')),
                ('answer_en', models.TextField(null=True, verbose_name='réponse')),
                ('answer_es', models.TextField(null=True, verbose_name='réponse')),
                ('answer_de', models.TextField(null=True, verbose_name='réponse')),
                ('on_home', models.BooleanField(default=False, verbose_name="sur l'accueil")),
                ('on_contact', models.BooleanField(default=False, verbose_name='sur la page de contact')),
                ('on_faq', models.BooleanField(default=True, verbose_name='dans la FAQ')),
                ('position', models.PositiveSmallIntegerField(default=0, verbose_name='ordre')),
                ('is_published', models.BooleanField(default=True, verbose_name='publiée')),
            ],
            options={
                'verbose_name': 'question de la FAQ',
                'verbose_name_plural': 'questions de la FAQ',
                'ordering': ('position', 'pk'),
                'constraints': [models.CheckConstraint(condition=models.Q(('category__in', ['creation', 'quality', 'delivery', 'prices'])), name='faq_category_known')],
            },
        ),
        migrations.CreateModel(
            name='PageText',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('starts_at', models.DateTimeField(blank=True, null=True, verbose_name='à partir de')),
                ('ends_at', models.DateTimeField(blank=True, null=True, verbose_name="jusqu'à")),
                ('key', models.CharField(db_index=True, max_length=40, verbose_name='passage')),
                ('title', models.CharField(blank=True, max_length=200, verbose_name='titre')),
                ('title_fr', models.CharField(blank=True, max_length=200, null=True, verbose_name='titre')),
                ('title_en', models.CharField(blank=True, max_length=200, null=True, verbose_name='titre')),
                ('title_es', models.CharField(blank=True, max_length=200, null=True, verbose_name='titre')),
                ('title_de', models.CharField(blank=True, max_length=200, null=True, verbose_name='titre')),
                ('body', models.TextField(blank=True, verbose_name='texte')),
                ('body_fr', models.TextField(blank=True, null=True, verbose_name='texte')),
                ('body_en', models.TextField(blank=True, null=True, verbose_name='texte')),
                ('body_es', models.TextField(blank=True, null=True, verbose_name='texte')),
                ('body_de', models.TextField(blank=True, null=True, verbose_name='texte')),
            ],
            options={
                'verbose_name': 'texte de page',
                'verbose_name_plural': 'textes de page',
                'ordering': ('key', 'starts_at', 'pk'),
                'constraints': [models.CheckConstraint(condition=models.Q(('starts_at', None), ('ends_at', None), ('starts_at__lt', models.F('ends_at')), _connector='OR'), name='page_text_dates_ordered')],
            },
        ),
        migrations.CreateModel(
            name='Redirect',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('old_path', models.CharField(help_text='/ancienne-page', max_length=400, unique=True, validators=[shop.pages.models.content.own_path], verbose_name='ancienne adresse')),
                ('new_path', models.CharField(help_text='/produits', max_length=400, validators=[shop.pages.models.content.own_path], verbose_name='nouvelle adresse')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False, verbose_name='créée le')),
            ],
            options={
                'verbose_name': 'redirection',
                'verbose_name_plural': 'redirections',
                'ordering': ('old_path',),
                'constraints': [models.CheckConstraint(condition=models.Q(('old_path', models.F('new_path')), _negated=True), name='redirect_goes_elsewhere')],
            },
        ),
        migrations.CreateModel(
            name='SeasonalBanner',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('starts_at', models.DateTimeField(blank=True, null=True, verbose_name='à partir de')),
                ('ends_at', models.DateTimeField(blank=True, null=True, verbose_name="jusqu'à")),
                ('key', models.SlugField(blank=True, editable=False, max_length=60, null=True, unique=True, verbose_name='identifiant')),
                ('title', models.CharField(max_length=120, verbose_name='titre')),
                ('title_fr', models.CharField(max_length=120, null=True, verbose_name='titre')),
                ('title_en', models.CharField(max_length=120, null=True, verbose_name='titre')),
                ('title_es', models.CharField(max_length=120, null=True, verbose_name='titre')),
                ('title_de', models.CharField(max_length=120, null=True, verbose_name='titre')),
                ('text', models.TextField(blank=True, verbose_name='texte')),
                ('text_fr', models.TextField(blank=True, null=True, verbose_name='texte')),
                ('text_en', models.TextField(blank=True, null=True, verbose_name='texte')),
                ('text_es', models.TextField(blank=True, null=True, verbose_name='texte')),
                ('text_de', models.TextField(blank=True, null=True, verbose_name='texte')),
                ('link_label', models.CharField(max_length=60, verbose_name='texte du bouton')),
                ('link_label_fr', models.CharField(max_length=60, null=True, verbose_name='texte du bouton')),
                ('link_label_en', models.CharField(max_length=60, null=True, verbose_name='texte du bouton')),
                ('link_label_es', models.CharField(max_length=60, null=True, verbose_name='texte du bouton')),
                ('link_label_de', models.CharField(max_length=60, null=True, verbose_name='texte du bouton')),
                ('link', models.CharField(help_text='Une adresse de ce site, en français : /noel. Chaque langue reçoit la sienne.', max_length=200, validators=[shop.pages.models.content.own_path], verbose_name='lien')),
                ('in_menu', models.BooleanField(default=False, verbose_name='aussi dans le menu')),
                ('file', models.FileField(blank=True, editable=False, max_length=120, upload_to='', verbose_name='image')),
                ('alt', models.CharField(blank=True, help_text="Ce que montre l'image, pour qui ne la voit pas.", max_length=250, verbose_name='texte alternatif')),
                ('alt_fr', models.CharField(blank=True, help_text="Ce que montre l'image, pour qui ne la voit pas.", max_length=250, null=True, verbose_name='texte alternatif')),
                ('alt_en', models.CharField(blank=True, help_text="Ce que montre l'image, pour qui ne la voit pas.", max_length=250, null=True, verbose_name='texte alternatif')),
                ('alt_es', models.CharField(blank=True, help_text="Ce que montre l'image, pour qui ne la voit pas.", max_length=250, null=True, verbose_name='texte alternatif')),
                ('alt_de', models.CharField(blank=True, help_text="Ce que montre l'image, pour qui ne la voit pas.", max_length=250, null=True, verbose_name='texte alternatif')),
                ('width', models.PositiveIntegerField(default=0, editable=False, verbose_name='largeur')),
                ('height', models.PositiveIntegerField(default=0, editable=False, verbose_name='hauteur')),
                ('colour', models.CharField(blank=True, default='', editable=False, max_length=7, verbose_name='couleur moyenne')),
                ('derivatives', models.JSONField(blank=True, default=dict, editable=False, verbose_name='fichiers dérivés')),
            ],
            options={
                'verbose_name': 'bandeau de saison',
                'verbose_name_plural': 'bandeaux de saison',
                'ordering': ('-starts_at', '-pk'),
                'constraints': [models.CheckConstraint(condition=models.Q(('starts_at', None), ('ends_at', None), ('starts_at__lt', models.F('ends_at')), _connector='OR'), name='banner_dates_ordered')],
            },
        ),
        migrations.AddConstraint(
            model_name='contactrequest',
            constraint=models.CheckConstraint(condition=models.Q(('kind__in', ['question', 'quote'])), name='contact_kind_known'),
        ),
        migrations.AddConstraint(
            model_name='contactrequest',
            constraint=models.CheckConstraint(condition=models.Q(('state__in', ['new', 'answered'])), name='contact_state_known'),
        ),
    ]
