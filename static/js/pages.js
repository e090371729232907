/* What htmx leaves to do: open and close citation cards with focus kept, light up evidence with its claim.
   Without this script every control is still a plain link or form. */
(function () {
  "use strict";

  // Where all citations are open, several cards stand in one slot: each belongs to its own marker.
  const slotOf = (marker) => document.getElementById(marker.getAttribute("aria-controls"));
  const cardOf = (marker) => Array.from(slotOf(marker).children)
    .find((card) => card.dataset.citations === marker.dataset.lights);
  const openerOf = (card) => Array.from(document.querySelectorAll('.marker[aria-expanded="true"]'))
    .find((marker) => marker.dataset.lights === card.dataset.citations && slotOf(marker).contains(card));

  // The evidence of the card that stands open stays marked.
  function choose() {
    const open = Array.from(document.querySelectorAll('.marker[aria-expanded="true"]'));
    const chosen = new Set(open.map((marker) => marker.dataset.lights));
    document.querySelectorAll(".rail .evidence").forEach(function (evidence) {
      const citations = (evidence.dataset.citations || "").split(" ");
      evidence.classList.toggle("chosen", citations.some((uid) => chosen.has(uid)));
    });
  }

  // Takes away one card and gives the focus to its marker; the others in its slot stay open.
  function close(card, marker) {
    if (card) {
      const slot = card.parentElement;
      card.remove();
      if (!slot.childElementCount) slot.replaceChildren();
    }
    if (!marker) return;
    marker.setAttribute("aria-expanded", "false");
    choose();
    marker.focus();
  }

  // A second click on an open marker closes its card; a modified click stays the browser's.
  document.addEventListener("click", function (event) {
    const closer = event.target.closest("[data-closes]");
    if (closer && !event.defaultPrevented) {
      const card = closer.closest(".card-slot > *");
      if (!card) return;
      event.preventDefault();
      close(card, openerOf(card));
      return;
    }
    const marker = event.target.closest('.marker[aria-expanded="true"]');
    if (!marker || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    close(cardOf(marker), marker);
  }, true);

  document.addEventListener("keydown", function (event) {
    if (event.key === "Escape" && !event.defaultPrevented) {
      const focused = document.activeElement;
      const card = focused && focused.closest(".card-slot > *");
      if (card) { event.preventDefault(); close(card, openerOf(card)); return; }
      if (focused && focused.matches('.marker[aria-expanded="true"]')) { close(cardOf(focused), focused); return; }
    }
  });

  document.addEventListener("htmx:afterSwap", function (event) {
    const slot = event.detail.target;
    if (!slot.classList.contains("card-slot")) return;
    const marker = event.detail.requestConfig.elt;
    document.querySelectorAll('.marker[aria-controls="' + slot.id + '"]').forEach(function (other) {
      other.setAttribute("aria-expanded", String(other === marker));
    });
    choose();
    const heading = slot.querySelector("[data-focus]");
    if (heading) heading.focus({ preventScroll: false });
  });

  // What comes anew takes away what was pressed in it: the focus goes to what is the same there, to what
  // is chosen now, or to the place itself. (What has an id keeps the focus by htmx.)
  const said = (element) => element.textContent.replace(/[\d.,\s]+/g, " ").trim();
  const leads = (element) => element.getAttribute("href") || element.name + " " + element.value;
  let pressed = null, around = [];

  document.addEventListener("htmx:beforeSwap", function () {
    const focused = document.activeElement;
    pressed = focused.matches("main a[href], main button") ? focused : null;
    around = [];
    for (let each = pressed; each; each = each.parentElement) if (each.id) around.push(each.id);
  });
  document.addEventListener("htmx:afterSwap", function () {
    if (!pressed || pressed.isConnected || document.activeElement !== document.body) return;
    const place = around.map((id) => document.getElementById(id)).find(Boolean);
    const all = Array.from(place.querySelectorAll("a[href], button"));
    const [like, as] = [leads(pressed), said(pressed)];
    const again = all.find((each) => leads(each) === like && said(each) === as) || all.find((each) => said(each) === as)
      || all.find((each) => leads(each) === like) || place.querySelector("[aria-current]") || place;
    if (again === place && !place.hasAttribute("tabindex")) place.tabIndex = -1;
    again.focus({ preventScroll: true });
    pressed = null;
  });

  // A request that failed must not look as if nothing happened: follow the link instead.
  document.addEventListener("htmx:responseError", function (event) {
    const link = event.detail.requestConfig.elt;
    if (link.matches("a[href]")) window.location.assign(link.href);
  });
  document.addEventListener("htmx:sendError", function (event) {
    const said = document.getElementById("announcer");
    if (said) said.textContent = document.body.dataset.offline || "";
    event.detail.requestConfig.elt.removeAttribute("aria-busy");
  });

  // Evidence and claim light up together, under the pointer and under the focus.
  function light(citation, on) {
    document.querySelectorAll("[data-citations~='" + CSS.escape(citation) + "']").forEach(function (element) {
      element.classList.toggle("lit", on);
    });
  }
  function lightAll(event, on) {
    const element = event.target.closest && event.target.closest("[data-lights]");
    if (element) element.dataset.lights.split(" ").filter(Boolean).forEach((uid) => light(uid, on));
  }
  document.addEventListener("pointerover", (event) => lightAll(event, true));
  document.addEventListener("pointerout", (event) => lightAll(event, false));
  document.addEventListener("focusin", (event) => lightAll(event, true));
  document.addEventListener("focusout", (event) => lightAll(event, false));

  choose();
})();
