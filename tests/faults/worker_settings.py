"""Settings of the workers that are killed: those of the shop, with a mail server made of a folder."""

import os

from shop.settings import *  # noqa: F403

EMAIL_BACKEND = "tests.faults.folder_mail.FolderBackend"
MAIL_FOLDER = os.environ["MAIL_FOLDER"]
