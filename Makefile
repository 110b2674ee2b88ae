# make test is what a change must pass; .ci/run calls it and nothing else.

GO          ?= go
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
GOVULNCHECK := golang.org/x/vuln/cmd/govulncheck@v1.9.0
FUZZTIME    ?= 30s
TEMPORAL_VERSION := v1.5.1

# What is compiled in one folder need not be compiled again in another: TestReadme runs a copy of the tree.
export GOFLAGS := $(strip $(GOFLAGS) -trimpath)

# The page's scripts and style are bundled by a module of its own, from npm packages that it pins.
BUNDLE := internal/web/assets/bundle

.PHONY: assets test test-llm test-temporal check lint flows raced sequential browser bench bench-stats bench-peers eval fit fuzz torture

# Programs built for the race detector would sleep for a second when they end.
test: export GORACE = atexit_sleep_ms=10
test: lint browser
	@$(MAKE) --no-print-directory -j2 raced sequential
	@$(MAKE) --no-print-directory flows

# Beside "sequential", since tests that wait for programs and browsers leave a processor idle.
raced:
	$(GO) test -race -timeout 30m ./...
	$(GO) test -race -cpu 1,2,8 -run 'TestRun|TestDAG|TestResumeEverything' ./engine
	cd temporal && $(GO) test -race -timeout 30m ./...
	cd $(BUNDLE) && $(GO) test ./...

# The tests that are built without the race detector only: files whose "//go:build" says !race, and scripts with a line
# "[race] skip". CONTRIBUTING.md says which those are.
sequential:
	@files=$$(grep -rl '^//go:build .*!race' --include='*_test.go' --exclude-dir=bench --exclude-dir=temporal --exclude-dir=bundle .) && \
	names=$$(sed -n 's/^func \(Test[A-Za-z0-9_]*\).*/\1/p' $$files | paste -sd '|' -) && \
	scripts=$$(grep -l '^\[race\] skip' cmd/pflow/testdata/script/*.txtar | sed 's,.*/,,; s,\.txtar$$,,' | paste -sd '|' -) && \
	$(GO) test -timeout 30m -run "^($$names)$$|^TestScripts$$/^($$scripts)$$" $$(dirname $$files | sort -u)

# Plans with a real model: the default one for the keys that are set. It costs a little, and is never part of make test.
test-llm:
	RUN_LLM_TESTS=1 $(GO) test -count=1 -v -run TestRealModel ./cmd/pflow

# The driver on Temporal against a real server, which is built once (some minutes) and kept in the user's cache: flows, 10,000
# items, replays, kills of workers and of the server, steps a second. PFLOW_KILLS=N chooses how many kills; RUN=PATTERN which tests;
# PFLOW_RECORD=1 with RUN='Server.*(Flow|Example|Feature)' keeps histories for the tests of replays: once, by the release that raises
# engine.StepVersion.
test-temporal:
	@bin="$${XDG_CACHE_HOME:-$$HOME/.cache}/pflow/temporal-$(TEMPORAL_VERSION)" && \
	{ [ -x "$$bin/temporal" ] || GOBIN="$$bin" $(GO) install github.com/temporalio/cli/cmd/temporal@$(TEMPORAL_VERSION); } && \
	port=$$((20000 + $$$$ % 20000)) && { "$$bin/temporal" server start-dev --headless --port $$port --log-level error \
		--dynamic-config-value history.transferProcessorMaxPollRPS=2000 --dynamic-config-value history.timerProcessorMaxPollRPS=2000 & } && \
	trap "kill $$!" EXIT && cd temporal && \
	TEMPORAL_CLI="$$bin/temporal" TEMPORAL_ADDRESS=127.0.0.1:$$port $(GO) test -tags server -count=1 -v -timeout 60m -run '$(or $(RUN),Server|Kill)' ./...

# Quick, while working.
check: lint browser
	$(GO) test -timeout 30m ./...
	cd temporal && $(GO) test -timeout 30m ./...
	cd $(BUNDLE) && $(GO) test ./...
	@$(MAKE) --no-print-directory flows

lint:
	@unformatted=$$(gofmt -l .); if [ -n "$$unformatted" ]; then \
		echo "not formatted; run gofmt -w on:"; echo "$$unformatted"; exit 1; fi
	$(GO) vet ./...
	$(GO) run $(STATICCHECK) ./...
	cd temporal && $(GO) vet ./... && $(GO) run $(STATICCHECK) ./...
	cd $(BUNDLE) && $(GO) vet ./... && $(GO) run $(STATICCHECK) ./...
	@if command -v curl >/dev/null && curl -sfI -m 10 -o /dev/null https://vuln.go.dev/index/modules.json.gz; then \
		$(GO) run $(GOVULNCHECK) ./... || echo "warning: known vulnerabilities, or they could not be looked up; see above"; \
	else echo "the vulnerability database cannot be reached: govulncheck is left out"; fi

# The shipped flows have no faults and pass their tests, in an empty home.
flows:
	@dir=$$(mktemp -d) && trap 'rm -rf "$$dir"' EXIT && $(GO) build -o "$$dir/pflow" ./cmd/pflow && \
	for flow in flows/*.yaml examples/*.yaml; do case $$flow in \
		*_test.yaml) "$$dir/pflow" flow test --home "$$dir/home" "$$flow" ;; \
		*) "$$dir/pflow" flow check --home "$$dir/home" "$$flow" ;; \
	esac || exit 1; done

# The scripts and the style of the page, from internal/web/assets/src and the npm packages that packages.json pins: needs the npm
# registry (or NPM_REGISTRY) once, then its cache. What it makes is committed.
assets:
	cd $(BUNDLE) && $(GO) run .

# The page and the reports of experiments are looked at in a real browser. PFLOW_SKIP_BROWSER=1 does without. axe-core, which looks
# for what keeps people out, is fetched if it can be.
browser:
	@if [ -z "$$PFLOW_SKIP_BROWSER" ] && ! command -v chromium >/dev/null; then \
		command -v apt-get >/dev/null || { echo "the tests of reports want chromium on the PATH: install it, or set PFLOW_SKIP_BROWSER=1"; exit 1; }; \
		sudo=; [ "$$(id -u)" = 0 ] || sudo=sudo; \
		$$sudo apt-get install -y chromium || { $$sudo apt-get update && $$sudo apt-get install -y chromium; }; fi
	@[ -n "$$PFLOW_SKIP_BROWSER" ] || { cd $(BUNDLE) && $(GO) run . -tests; } || echo "warning: pages are looked at without axe-core, which cannot be fetched"

bench:
	$(GO) test -run '^$$' -bench . -benchmem ./engine/... ./internal/value
	$(GO) test -run '^$$' -bench PlannerOverhead -benchtime 300x ./cmd/pflow
	$(GO) test -run '^$$' -bench PlanningGrowth -benchtime 1x ./cmd/pflow
	$(GO) test -run '^$$' -bench ManyRuns -benchtime 1x ./cmd/pflow
	$(GO) test -run '^$$' -bench ManyCases -benchtime 1x -timeout 30m ./cmd/pflow
	$(GO) test -run '^$$' -bench 'Page$$|Viewers' -benchtime 1x -timeout 30m ./cmd/pflow
	$(GO) test -run '^$$' -bench . -benchtime 1x ./internal/experiment
	@$(MAKE) --no-print-directory bench-stats

# The statistics of experiments by simulation; fails when false positives, coverage or power leave their bounds.
bench-stats:
	$(GO) test -run '^$$' -bench . -benchtime 1x ./internal/stats

# The same work in other engines; bench is a module of its own, so that pflow depends on none of them.
bench-peers:
	cd bench && $(GO) test -run '^$$' -bench . -benchmem

# What the planner without a model makes of the sets and of the sandbox in the folder EVAL: docs/evaluation.md, which says what that
# folder holds. RESULTS=DIR keeps the results. It takes half an hour.
eval:
	@[ -n "$(EVAL)" ] || { echo "say where the data are: make eval EVAL=DIR; docs/evaluation.md says what DIR holds"; exit 2; }
	@dir=$$(mktemp -d) && trap 'rm -rf "$$dir"' EXIT && $(GO) build -o "$$dir/pflow" ./cmd/pflow && \
	$(GO) run ./internal/evaluation -data "$(EVAL)" -pflow "$$dir/pflow" $(if $(RESULTS),-results "$(RESULTS)")

# What scores mean and what the composer weighs, worked out from the sets in the folder EVAL and written into their files; the weights of
# what a plan leaves open, from plans of which none is declined, are printed. The same sets give the same numbers. It takes half an hour.
fit:
	@[ -n "$(EVAL)" ] || { echo "say where the data are: make fit EVAL=DIR; docs/evaluation.md says what DIR holds"; exit 2; }
	$(GO) run ./internal/retrieve/fit "$(EVAL)/clinc150" "$(EVAL)/banking77"
	$(GO) run ./internal/compose/fit "$(EVAL)/nestful" "$(EVAL)/sealtools" "$(EVAL)/taskbench-daily" "$(EVAL)/taskbench-hf" "$(EVAL)/taskbench-mm"
	@dir=$$(mktemp -d) && trap 'rm -rf "$$dir"' EXIT && $(GO) build -o "$$dir/pflow" ./cmd/pflow && \
	printf '%s\n' 'flow: undeclined' 'version: 1' 'extends: planner-offline' 'params: {decline_open: false}' >"$$dir/undeclined.yaml" && \
	for set in coverage bfcl sealtools nestful metatool metatool-none; do \
		FLOW="$$dir/undeclined.yaml" CAP=3600 "$(EVAL)/run.sh" $$set "$$dir/pflow" "$$dir/plans" >/dev/null || exit 1; \
	done && $(GO) run ./internal/coverage/fit "$(EVAL)" "$$dir/plans"

# The kill tests with their full numbers: 700 kills of runs and 60 at their start, 200 of experiments and 60 at their start,
# 1,000 runs at once. make test takes a sample.
torture: export PFLOW_TORTURE = 1
torture:
	$(GO) test -count=1 -v -timeout 60m -run 'TestKill|TestConcurrentRuns' ./engine ./internal/workflow ./internal/experiment

# Every fuzz target, one after the other.
fuzz:
	@set -e; grep -rlE '^func Fuzz' --include='*_test.go' --exclude-dir=bench . | sort | while read -r file; do \
		for target in $$(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\).*/\1/p' "$$file"); do \
			echo "$$(dirname $$file) $$target"; \
			$(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) "$$(dirname $$file)"; \
		done; done
