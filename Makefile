# make help says what there is.
PREFIX ?= /usr/local
VENV = .build/venv
PYTEST = $(VENV)/bin/python -m pytest -q -p no:cacheprovider Tests/EndToEnd
export PYTHONDONTWRITEBYTECODE = 1

.PHONY: help run build test test-long bench format lint install

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
	@$(MAKE) --no-print-directory $(VENV)/ready
	GATEHOUSE=$(CURDIR)/.build/debug/gatehouse $(PYTEST) -m "not long"

test-long:      ## Load, crashes, timing and the release build.
	@.ci/packages test
	swift build -c release --product gatehouse
	@$(MAKE) --no-print-directory $(VENV)/ready
	GATEHOUSE=$(CURDIR)/.build/release/gatehouse $(PYTEST) -m long

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
	install -D -m 644 Config/nginx.conf $(DESTDIR)$(PREFIX)/share/gatehouse/nginx.conf
	install -d $(DESTDIR)$(PREFIX)/lib/systemd/system
	sed 's|/usr/local/bin|$(PREFIX)/bin|' Config/gatehouse.service > $(DESTDIR)$(PREFIX)/lib/systemd/system/gatehouse.service

$(VENV)/ready: Tests/EndToEnd/requirements.txt
	python3 -m venv $(VENV)
	$(VENV)/bin/pip install --quiet --disable-pip-version-check -r Tests/EndToEnd/requirements.txt
	@touch $@
