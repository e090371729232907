/* Shortcuts of single keys, and the one switch for all of them. Whoever dictates or mistypes can turn them
   off for good (WCAG 2.1.4). Without this script there are none: what they do is a link or a field. */
(function () {
  "use strict";

  const SWITCH = "provexplorer.shortcuts";
  let here = true; // where the browser keeps nothing: for this page alone

  function on() {
    try { return localStorage.getItem(SWITCH) !== "off" && here; } catch { return here; }
  }

  // Every box that switches, and what hints at a key, tell how it stands.
  function show() {
    document.querySelectorAll("[data-shortcuts]").forEach((box) => { box.checked = on(); });
    document.querySelectorAll("[data-shortcuts-switch]").forEach((place) => { place.hidden = false; });
    document.body.classList.toggle("no-shortcuts", !on());
  }

  document.addEventListener("change", function (event) {
    if (!event.target.matches("[data-shortcuts]")) return;
    here = event.target.checked;
    try { localStorage.setItem(SWITCH, here ? "on" : "off"); } catch { /* Kept for this page only. */ }
    show();
    document.dispatchEvent(new CustomEvent("shortcuts:switched"));
  });

  document.addEventListener("keydown", function (event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || !on()) return;
    if (event.target.closest("input, textarea, select, [contenteditable]")) return;
    if (event.key === "/") {
      const field = document.querySelector("[data-shortcut='/']");
      if (field) { event.preventDefault(); field.focus(); field.select(); }
    } else if (event.key === "?") {
      const list = document.querySelector("a[data-shortcut='?']");
      if (list) { event.preventDefault(); list.click(); }
    }
  });

  window.shortcuts = { on, show };
  show();
})();
