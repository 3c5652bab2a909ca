# The commands of the project. Each installs by itself, once, what it needs; .ci/tools.sh says
# what, where to, and how to override it.

SHELL := bash
.DEFAULT_GOAL := help
.PHONY: help demo package test long bench clean

help:
	@echo 'make demo      build everything and serve the demo page (PORT=8080 for a fixed port)'
	@echo 'make package   leave a ready npm tarball in pkg/'
	@echo 'make test      run every check (STAGES="format native" for some of them)'
	@echo 'make bench     measure the package beside the AI SDK (FULL=1 for all, TABLE=1 for the README)'
	@echo 'make long      run the checks that take more than an hour'
	@echo 'make clean     remove what the commands above made; tools in the cache stay'

demo:
	bash .ci/tools.sh npm:www
	bash .ci/stages/build.sh
	exec node www/server.mjs

package:
	bash .ci/stages/build.sh
	rm -f pkg/*.tgz
	cd pkg && npm pack --ignore-scripts

test:
	bash .ci/test.sh $(STAGES)

long:
	bash .ci/stages/build.sh
	bash .ci/long/kills.sh
	bash .ci/long/fast-path.sh
	bash .ci/long/differential.sh

bench:
	bash .ci/tools.sh npm:tests/bench
	bash .ci/stages/build.sh
	. .ci/tools.sh browser && node tests/bench/run.mjs $(if $(FULL),--full) $(if $(TABLE),--table)

clean:
	rm -rf target pkg/dist pkg/wasm pkg/*.tgz www/dist www/screenshots
	rm -rf pkg/node_modules www/node_modules tests/package/node_modules
	rm -rf tests/react/node_modules tests/react/.build tests/bench/node_modules
