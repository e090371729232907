/* Hits by the keyboard: arrows move from the box through the hits and back, Enter opens, Escape closes.
   Without this script the box is a plain form that leads to the page of hits. */
(function () {
  "use strict";

  const boxes = () => document.querySelectorAll("[role='search'] input[aria-controls]");
  const hitsOf = (box) => document.getElementById(box.getAttribute("aria-controls"));
  const links = (hits) => Array.from(hits.querySelectorAll(".title a, ul a:not(.chip), .all a"));
  const closes = (hits) => hits.classList.contains("suggestions");

  function close(hits) {
    if (!closes(hits)) return;
    hits.replaceChildren();
    const count = document.getElementById("suggestions-count");
    if (count) count.textContent = "";
  }

  // The box that the focused element belongs to: itself, or that of the hits around it.
  function boxAt(element) {
    return Array.from(boxes()).find((box) => box === element || hitsOf(box)?.contains(element));
  }

  document.addEventListener("keydown", function (event) {
    const box = boxAt(event.target);
    if (!box || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const hits = hitsOf(box);
    const all = links(hits);
    const at = all.indexOf(event.target);
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      // Among the page's hits arrows move from hit to hit only.
      if (event.target !== box && at < 0) return;
      const next = at + (event.key === "ArrowDown" ? 1 : -1);
      if (next === all.length || next < -1) return;
      event.preventDefault();
      (next < 0 ? box : all[next]).focus();
    } else if (event.key === "Escape") {
      // A box that shows no hits keeps its own Escape, which clears it.
      if (event.target === box && (!closes(hits) || !hits.hasChildNodes())) return;
      event.preventDefault();
      close(hits);
      box.focus();
    } else if (at >= 0 && event.key.length === 1 && event.key !== " " && event.key !== "/") {
      // Whoever types on means the box.
      box.focus();
    }
  });

  document.addEventListener("focusout", function (event) {
    const box = boxAt(event.target);
    const to = event.relatedTarget;
    if (box && !(to && box.form.contains(to))) close(hitsOf(box));
  });

  // An answer that comes after the reader has left the box would open over what they read now.
  document.addEventListener("htmx:beforeSwap", function (event) {
    const box = event.detail.requestConfig.elt;
    if (box.matches("[role='search'] input") && closes(event.detail.target) && !box.form.contains(document.activeElement)) {
      event.detail.shouldSwap = false;
    }
  });
  document.addEventListener("htmx:beforeRequest", function (event) {
    const box = event.detail.elt;
    // Nothing is asked for by nothing.
    if (box.matches("[role='search'] input") && !box.value.trim() && closes(event.detail.target)) {
      event.preventDefault();
      close(event.detail.target);
    }
  });
  document.addEventListener("htmx:responseError", function (event) {
    const said = document.getElementById("announcer");
    if (said && event.detail.elt.matches("[role='search'] input")) said.textContent = document.body.dataset.offline || "";
  });
})();
