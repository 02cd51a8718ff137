# make help says what there is.
PREFIX ?= /usr/local
VENV = .build/venv
PYTEST = $(VENV)/bin/python -m pytest -q -p no:cacheprovider Tests/EndToEnd
export PYTHONDONTWRITEBYTECODE = 1
# Of its own: soft-webauthn needs an older fido2.
PEERS = .build/venv-differential
DIFFERENTIAL = $(PEERS)/bin/python -m pytest -q -p no:cacheprovider Tests/Differential

PROXIES = $(addprefix Config/,nginx.conf traefik.yml traefik-dynamic.yml Caddyfile envoy.yaml haproxy.cfg haproxy-auth.lua \
	apache.conf apache-auth.lua)

.PHONY: help run build test test-long fuzz differential bench format lint install

help:           ## This list.
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

run:            ## Build it and run it on localhost; stop with Ctrl-C.
	@.ci/packages build
	swift build -c release --product gatehouse
	@mkdir -p .build/run && cd .build/run && exec ../release/gatehouse serve

build:          ## Build it for use: .build/release/gatehouse.
	@.ci/packages build
	swift build -c release --product gatehouse

test:           ## All tests but the long ones; under ten minutes on two cores.
	@.ci/packages test
	swift build --build-tests --explicit-target-dependency-import-check error
	swift test --skip-build
	Tests/Fuzz/run 3
	@$(MAKE) --no-print-directory $(VENV)/ready $(PEERS)/ready
	WEBAUTHN_VERDICT=$(CURDIR)/.build/debug/webauthn-verdict $(DIFFERENTIAL)
	GATEHOUSE=$(CURDIR)/.build/debug/gatehouse $(PYTEST) -m "not long"

test-long:      ## Load, crashes, timing and the release build.
	@.ci/packages test
	swift build -c release --product gatehouse
	@$(MAKE) --no-print-directory $(VENV)/ready
	GATEHOUSE=$(CURDIR)/.build/release/gatehouse $(PYTEST) -m long

fuzz:           ## Each parser for SECONDS=60 under AddressSanitizer; TARGETS= for some of them.
	@.ci/packages build
	Tests/Fuzz/run $(or $(SECONDS),60) $(TARGETS)

differential:   ## Thousands of WebAuthn responses: our verdict beside those of other libraries.
	@.ci/packages test
	swift build --product webauthn-verdict
	@$(MAKE) --no-print-directory $(PEERS)/ready
	$(PEERS)/bin/python Tests/Differential/differential.py .build/debug/webauthn-verdict $(COUNT)

bench:          ## Speed, as ratios to a reference run beside it.
	@.ci/packages bench
	swift build -c release --product gatehouse
	swift build -c release --product gatehouse-bench
	.build/release/gatehouse-bench $(SCENARIOS)

format:         ## Lay the sources out as the formatter wants.
	swift format --in-place --recursive Sources Tests Plugins Package.swift

lint:           ## Say where the formatter disagrees.
	swift format lint --strict --recursive Sources Tests Plugins Package.swift

install: build  ## Put binary, unit and default configuration under PREFIX.
	install -D -m 755 .build/release/gatehouse $(DESTDIR)$(PREFIX)/bin/gatehouse
	install -D -m 644 Config/gatehouse.yaml $(DESTDIR)$(PREFIX)/share/gatehouse/gatehouse.yaml
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/gatehouse $(PROXIES)
	install -d $(DESTDIR)$(PREFIX)/lib/systemd/system
	sed 's|/usr/local/bin|$(PREFIX)/bin|' Config/gatehouse.service > $(DESTDIR)$(PREFIX)/lib/systemd/system/gatehouse.service

$(VENV)/ready: Tests/EndToEnd/requirements.txt
$(PEERS)/ready: Tests/Differential/requirements.txt
$(VENV)/ready $(PEERS)/ready:
	python3 -m venv $(@D)
	$(@D)/bin/pip install --quiet --disable-pip-version-check -r $<
	@touch $@
