"""`/admin/produits/<id>/modele-3d`: the 3D model of a piece, added, replaced or removed."""

from __future__ import annotations

from typing import cast

from django import forms
from django.contrib import messages
from django.contrib.auth.base_user import AbstractBaseUser
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render

from catalog.models import Product, ProductModel
from catalog.selectors.pictures import image_info
from catalog.services.media import MODELS, StoredModel, store_model
from catalog.services.product_models import change_product_model
from shop.core.images import StoredImage
from shop.core.staff_actions import StaffAction, may, require
from shop.core.staff_pages import WRITE, staff_page
from shop.core.uploads import stored_once, stored_picture

MEANWHILE = (
    "Quelqu'un a changé le modèle entre-temps\u00a0: celui d'à présent est ci-dessous. Rien n'a bougé."
)
TOGETHER = "Le modèle et son image d'attente vont ensemble."
_FILE = {"class": "input"}


class ModelFilesForm(forms.Form):
    """A model with the picture that is shown before it; both come together."""

    upload = forms.FileField(
        label="Modèle 3D",
        help_text="Fichier GLB, 10\u00a0Mo au plus, sans compression Draco.",
        error_messages={"required": TOGETHER},
        widget=forms.FileInput({**_FILE, "accept": ".glb,model/gltf-binary"}),
    )
    poster = forms.FileField(
        label="Image d'attente",
        help_text="JPEG, PNG ou WebP, 5\u00a0Mo au plus\u00a0: montrée avant le chargement du modèle.",
        error_messages={"required": TOGETHER},
        widget=forms.FileInput({**_FILE, "accept": "image/jpeg,image/png,image/webp"}),
    )

    def clean_upload(self) -> StoredModel | None:
        return stored_once(self.cleaned_data["upload"], store_model)

    def clean_poster(self) -> StoredImage | None:
        return stored_picture(self.cleaned_data["poster"], MODELS)


@staff_page(StaffAction.SEE_PRODUCTS, WRITE)
def model_page(request: HttpRequest, product_id: int) -> HttpResponseBase:
    """Show the model; a POST stores another, or removes it (`action=remove`). `seen` is the model that was shown."""
    product = get_object_or_404(Product, pk=product_id, trashed_at=None)
    form: ModelFilesForm | None = None
    if request.method == "POST":
        require(request.user, StaffAction.EDIT_PRODUCT)
        actor = cast(AbstractBaseUser, request.user)
        seen = request.POST.get("seen", "")
        if request.POST.get("action") == "remove":
            if change_product_model(product=product, seen=seen, files=None, actor=actor):
                messages.success(request, "Modèle supprimé.")
            else:
                messages.error(request, MEANWHILE)
            return redirect("staff-product-model", product.pk)
        form = ModelFilesForm(request.POST, request.FILES)
        if form.is_valid():
            files = form.cleaned_data["upload"], form.cleaned_data["poster"]
            if change_product_model(product=product, seen=seen, files=files, actor=actor):
                messages.success(request, "Modèle enregistré\u00a0: la fiche le montre.")
                return redirect("staff-product-model", product.pk)
            form.add_error(None, MEANWHILE)
    row = ProductModel.objects.filter(product=product).first()
    context = {
        "product": product,
        "model": row,
        "poster": image_info(row, product.name) if row else None,
        "form": form or ModelFilesForm(),
        "may_edit": may(request.user, StaffAction.EDIT_PRODUCT),
    }
    return render(request, "staff/products/model.html", context, status=400 if form else 200)
