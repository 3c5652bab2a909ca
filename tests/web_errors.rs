//! How things go wrong: a code and the AI SDK's name, the messages as far as they came.
#![cfg(target_arch = "wasm32")]

#[path = "web/support.rs"]
mod support;

wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);

script_tests! { "/tests/web/errors.js":
    http_failures = httpFailures,
    other_content_than_a_stream = otherContentThanAStream,
    failed_connections = failedConnections,
    errors_of_transports = errorsOfTransports,
    truncated_streams = truncatedStreams,
    faults_in_the_stream = faultsInTheStream,
    long_events_are_refused = longEventsAreRefused,
    warnings = warnings,
    refused_commands = refusedCommands,
}
