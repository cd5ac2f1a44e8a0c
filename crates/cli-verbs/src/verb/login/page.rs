//! What the browser shows when it came back.

/// The login went well.
pub(super) fn done() -> String {
    page("You are logged in", "Close this page and go on in the terminal.")
}

/// It did not.
pub(super) fn refused(text: &str) -> String {
    page("Kargo", text)
}

/// Everything is in the page: nothing is fetched after it.
fn page(title: &str, text: &str) -> String {
    format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title>\
         <style>body{{font:16px system-ui,sans-serif;margin:20vh auto;max-width:32em;text-align:center}}</style>\
         </head><body><h1>{title}</h1><p>{text}</p></body></html>"
    )
}
