#!/bin/sh
# Installs the shop of this folder on Debian 13, or updates it after the folder has changed. Safe to run again.
#
#   sh deploy/install.sh shop.example
#
# PostgreSQL, Redis and nginx come from Debian. Nothing is started that takes visitors: docs/deploying.md says what follows.
set -eu

HOST=${1:?usage: sh deploy/install.sh shop.example}
case $HOST in *[!a-z0-9.-]*) echo "Not a host name: $HOST" >&2; exit 2 ;; esac
SHOP=$(CDPATH= cd -- "$(dirname -- "$0")/.." && pwd)
[ "$SHOP" = /opt/shop ] || { echo "Put the shop into /opt/shop first; it is in $SHOP." >&2; exit 2; }
[ "$(id -u)" = 0 ] || { echo "Run it as root." >&2; exit 2; }
cd "$SHOP"
as_shop() { runuser -u shop -- "$@"; }
step() { printf '\n── %s\n' "$*"; }

step "Debian's packages"
DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends \
    python3 python3-venv nodejs npm postgresql redis-server nginx certbot python3-certbot-nginx

step "User, folders, settings"
id shop >/dev/null 2>&1 || useradd --system --home-dir /var/lib/shop --shell /usr/sbin/nologin shop
# nginx hands out pictures: its group may pass through the folder, and reads nothing else in it.
usermod --append --groups shop www-data
install -d -o shop -g shop -m 710 /var/lib/shop
install -d -o root -g shop -m 750 /etc/shop
if [ ! -e /etc/shop/shop.env ]; then
    secret=$(python3 -c 'import secrets; print(secrets.token_urlsafe(50))')
    umask 027
    # Whole or not at all: one that a full disk cut off would stay, and be read as settings.
    sed "s|SHOP_HOST|$HOST|g; s|SHOP_SECRET|$secret|" deploy/shop.env > /etc/shop/shop.env.new
    mv /etc/shop/shop.env.new /etc/shop/shop.env
fi
# That of another machine, too.
chown root:shop /etc/shop/shop.env
chmod 640 /etc/shop/shop.env
ln -sfn /etc/shop/shop.env .env
umask 022

step "Database and Redis"
service postgresql start
service redis-server start
for _ in 1 2 3 4 5 6 7 8 9 10; do runuser -u postgres -- psql -qc 'SELECT 1' >/dev/null 2>&1 && break; sleep 1; done
runuser -u postgres -- psql -tAc "SELECT 1 FROM pg_roles WHERE rolname = 'shop'" | grep -q 1 ||
    runuser -u postgres -- createuser shop
runuser -u postgres -- psql -tAc "SELECT 1 FROM pg_database WHERE datname = 'shop'" | grep -q 1 ||
    runuser -u postgres -- createdb --owner shop --encoding UTF8 --locale C.UTF-8 --template template0 shop

step "Python packages, scripts and styles, translations"
# Anew, too, where making it broke off, and after Debian has come with another Python.
.venv/bin/python -c 'import pip' 2>/dev/null || python3 -m venv --clear .venv
# A shop that sends traces does not start without the packages for them.
packages=requirements.txt
! grep -q '^OTEL_EXPORTER_OTLP_ENDPOINT=.' /etc/shop/shop.env || packages=requirements-tracing.txt
.venv/bin/pip install --quiet --disable-pip-version-check -r $packages
# Debian's npm is older than what one of the tests' packages asks for; the bundler works with it.
npm ci --engine-strict=false --no-audit --no-fund --loglevel=error
npm run --silent build
.venv/bin/python scripts/messages.py compile
.venv/bin/python -m compileall -q shop catalog orders accounts blog

step "Tables, static files, texts"
# Where root's umask keeps others out, so does what git has brought.
hidden=$(as_shop find "$SHOP" \( -name .git -o -name node_modules -o -path "$SHOP/var" \) -prune -o \
    ! -readable -print 2>/dev/null | head -n 1)
[ -z "$hidden" ] || { echo "The user shop can't read $hidden: chmod -R go+rX $SHOP, and run this again." >&2; exit 2; }
# What a request may not, a migration of a large table may: take minutes.
as_shop env DATABASE_STATEMENT_SECONDS=3600 .venv/bin/python manage.py migrate --verbosity 0
as_shop .venv/bin/python manage.py collectstatic --noinput --verbosity 0
as_shop .venv/bin/python manage.py load_categories
as_shop .venv/bin/python manage.py load_texts

step "nginx and systemd"
# certbot writes into the site that is there: an update does not replace it, and says at its end what to change in it.
site=/etc/nginx/sites-available/shop.conf
sed "s|SHOP_HOST|$HOST|g" deploy/nginx/shop.conf > $site.new
if [ ! -e $site ]; then
    cp $site.new $site.copy
    mv $site.copy $site
fi
changed=
[ ! -e $site.shipped ] || changed=$(diff -u $site.shipped $site.new) || true
ln -sfn ../sites-available/shop.conf /etc/nginx/sites-enabled/shop.conf
rm -f /etc/nginx/sites-enabled/default
# nginx itself would make it for everybody to read: it holds visitors' addresses.
[ -e /var/log/nginx/shop.log ] || install -o www-data -g adm -m 640 /dev/null /var/log/nginx/shop.log
nginx -t -q
install -m 644 deploy/systemd/shop* /etc/systemd/system/
# Of an earlier version: a job of the shop makes the night's backup.
rm -f /etc/systemd/system/shop-backup.* /etc/systemd/system/shop.target.wants/shop-backup.timer
install -D -m 644 deploy/journald.conf /etc/systemd/journald.conf.d/shop.conf
if [ -d /run/systemd/system ]; then
    systemctl daemon-reload
    systemctl stop shop-backup.timer 2>/dev/null || true
    systemctl enable --quiet postgresql redis-server nginx shop.target shop-web.socket
    systemctl restart systemd-journald
    systemctl reload-or-restart nginx
fi

if [ -n "$changed" ]; then
    step "deploy/nginx/shop.conf has changed. Change $site likewise, then: systemctl reload nginx"
    printf '%s\n' "$changed"
fi
# What was said: a run that broke off before says it again.
mv $site.new $site.shipped

step "Installed. Settings: /etc/shop/shop.env. What is still missing:"
as_shop .venv/bin/python manage.py check --deploy --database default || true
