/* The picture of a lineage, beyond what links do: details in place, arrow keys along the lines, size, PNG.
   Without this script every box is a link, the picture scrolls in its frame, and the table says the same. */
(function () {
  "use strict";

  const SMALLEST = 0.4;
  const LARGEST = 2.5;
  const LONGEST_SIDE = 16000; // pixels of a canvas that every browser draws
  let zoom = 1;
  let returning = null; // where focus goes when the part that is being fetched has come
  let came = new Map(); // box → the box one came from, so that a step back is a step back

  const all = (selector, within) => Array.from((within || document).querySelectorAll(selector));
  const drawer = () => document.getElementById("drawer");
  const scroller = () => document.querySelector(".picture-scroll");
  const boxes = () => all("svg.picture a.box");
  const place = (box) => box.dataset.box;
  const boxAt = (number) => document.querySelector('svg.picture .box[data-box="' + CSS.escape(number) + '"]');
  const boxOf = (uid) => document.querySelector('svg.picture .box[data-uid="' + CSS.escape(uid) + '"]');
  const top = (box) => Number(box.querySelector("rect").getAttribute("y"));
  const plain = (event) => event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;

  const walks = () => window.shortcuts.on();

  // One box is in the order of Tab, the others are reached by arrows; with arrows off, all are.
  function rove(current) {
    const every = boxes();
    if (!walks()) { every.forEach((box) => box.removeAttribute("tabindex")); return; }
    const chosen = current || every.find((box) => box.matches(".selected")) || every.find((box) => box.matches(".root")) || every[0];
    every.forEach((box) => box.setAttribute("tabindex", box === chosen ? "0" : "-1"));
  }

  function light(box, on) {
    const number = place(box);
    all("svg.picture .edge").forEach(function (edge) {
      const other = edge.dataset.cause === number ? edge.dataset.effect : edge.dataset.effect === number ? edge.dataset.cause : null;
      if (other === null) return;
      edge.classList.toggle("lit", on);
      const beside = boxAt(other);
      if (beside) beside.classList.toggle("beside-lit", on);
    });
  }

  // ← to what the box rests on, → to what rests on it: the nearest at the other end of a line.
  function along(box, towards) {
    const number = place(box);
    const [here, there] = towards === "cause" ? ["effect", "cause"] : ["cause", "effect"];
    const ends = all("svg.picture .edge").filter((edge) => edge.dataset[here] === number).map((edge) => edge.dataset[there]);
    const reached = ends.map(boxAt).filter((other) => other && other.matches("a"));
    const back = came.get(number);
    const known = reached.find((other) => place(other) === back);
    return known || reached.sort((a, b) => Math.abs(top(a) - top(box)) - Math.abs(top(b) - top(box)))[0] || null;
  }

  function column(box) {
    return boxes().filter((other) => other.dataset.stage === box.dataset.stage).sort((a, b) => top(a) - top(b));
  }

  function step(box, key) {
    const beside = column(box);
    const at = beside.indexOf(box);
    switch (key) {
      case "ArrowLeft": return along(box, "cause");
      case "ArrowRight": return along(box, "effect");
      case "ArrowUp": return beside[at - 1] || null;
      case "ArrowDown": return beside[at + 1] || null;
      case "Home": return beside[0];
      case "End": return beside[beside.length - 1];
      default: return undefined;
    }
  }

  // What is at this point of the frame, its middle unless said otherwise, stays there.
  function resize(wanted, at) {
    const frame = scroller();
    const canvas = frame && frame.querySelector(".picture-canvas");
    if (!canvas) return;
    const before = zoom;
    zoom = Math.min(LARGEST, Math.max(SMALLEST, wanted));
    const [x, y] = at || [frame.clientWidth / 2, frame.clientHeight / 2];
    const point = [frame.scrollLeft + x, frame.scrollTop + y];
    canvas.style.setProperty("--zoom", String(zoom));
    if (before !== zoom) {
      frame.scrollLeft = point[0] * (zoom / before) - x;
      frame.scrollTop = point[1] * (zoom / before) - y;
    }
  }

  function fit() {
    const frame = scroller();
    const canvas = frame.querySelector(".picture-canvas");
    const padding = parseFloat(getComputedStyle(frame).paddingLeft) * 2;
    resize(zoom * ((frame.clientWidth - padding) / canvas.offsetWidth));
  }

  // Scrolls the frame alone, never the page.
  function reveal(box) {
    const frame = scroller();
    if (!box || !frame) return;
    const [here, there] = [frame.getBoundingClientRect(), box.getBoundingClientRect()];
    const heads = frame.querySelector(".stage-heads").offsetHeight;
    const room = 24;
    if (there.left < here.left) frame.scrollLeft -= here.left - there.left + room;
    else if (there.right > here.right) frame.scrollLeft += there.right - here.right + room;
    if (there.top < here.top + heads) frame.scrollTop -= here.top + heads - there.top + room;
    else if (there.bottom > here.bottom) frame.scrollTop += there.bottom - here.bottom + room;
  }

  function zoomBy(how) {
    if (how === "in") resize(zoom * 1.25);
    else if (how === "out") resize(zoom / 1.25);
    else fit();
  }

  /* The wheel with Ctrl, which is also what two fingers on a touch pad send, and two fingers on the screen. */
  function within(frame, x, y) {
    const box = frame.getBoundingClientRect();
    return [x - box.left - frame.clientLeft, y - box.top - frame.clientTop];
  }

  function spread(touches) {
    const [one, other] = [touches[0], touches[1]];
    return {
      apart: Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY),
      middle: [(one.clientX + other.clientX) / 2, (one.clientY + other.clientY) / 2],
    };
  }

  function sizedByHand(frame) {
    let pinch = null;
    frame.addEventListener("wheel", function (event) {
      if (!(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      const lines = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? 1 : 30;
      const turned = Math.max(-100, Math.min(100, event.deltaY * lines));
      resize(zoom * Math.exp(-turned / 400), within(frame, event.clientX, event.clientY));
    }, { passive: false });
    frame.addEventListener("touchstart", function (event) {
      pinch = event.touches.length === 2 ? { apart: spread(event.touches).apart, zoom: zoom } : null;
    }, { passive: true });
    frame.addEventListener("touchmove", function (event) {
      if (!pinch || event.touches.length !== 2) return;
      if (event.cancelable) event.preventDefault();
      const now = spread(event.touches);
      resize(pinch.zoom * (now.apart / Math.max(1, pinch.apart)), within(frame, now.middle[0], now.middle[1]));
    }, { passive: false });
    ["touchend", "touchcancel"].forEach((name) => frame.addEventListener(name, () => { pinch = null; }));
  }

  function setUp() {
    if (!scroller()) return;
    came = new Map();
    sizedByHand(scroller());
    all("[data-zoom-tools], [data-png], [data-keys]").forEach((tool) => { tool.hidden = false; });
    window.shortcuts.show();
    const before = zoom;
    zoom = 1;
    if (before !== 1) resize(before);
    rove();
  }

  /* Details in place. */
  function select(uid) {
    all("svg.picture .box.selected").forEach(function (box) {
      box.classList.remove("selected");
      box.removeAttribute("aria-expanded");
      box.removeAttribute("aria-controls");
    });
    const box = uid && boxOf(uid);
    if (!box) return;
    box.classList.add("selected");
    box.setAttribute("aria-expanded", "true");
    box.setAttribute("aria-controls", "drawer");
  }

  function open(box) {
    // The second click of two.
    if (box.getAttribute("aria-busy") === "true") return;
    const address = box.href.baseVal.split("#")[0];
    const before = drawer().querySelector("[data-focus]");
    const rest = () => box.removeAttribute("aria-busy");
    box.setAttribute("aria-busy", "true");
    window.htmx.ajax("GET", address, { target: "#drawer", swap: "innerHTML" }).then(function () {
      rest();
      const heading = drawer().querySelector("[data-focus]");
      // What cannot be shown in place (signed out, gone) has a page of its own.
      if (!heading || heading === before) { window.location.assign(box.href.baseVal); return; }
      drawer().dataset.shows = box.dataset.uid;
      drawer().parentElement.classList.add("with-drawer");
      history.pushState({ htmx: true }, "", address);
      select(box.dataset.uid);
      rove(box);
      heading.focus({ preventScroll: window.matchMedia("(min-width: 66rem)").matches });
      reveal(box);
    }, rest);
  }

  function shown() {
    const at = drawer();
    if (!at || !at.querySelector("[data-focus]")) return "";
    return at.dataset.shows || new URLSearchParams(window.location.search).get("node") || "";
  }

  function close() {
    const link = drawer().querySelector("[data-closes-drawer]");
    const box = boxOf(shown());
    if (link) history.pushState({ htmx: true }, "", link.getAttribute("href"));
    drawer().replaceChildren();
    delete drawer().dataset.shows;
    drawer().parentElement.classList.remove("with-drawer");
    select("");
    if (box) { rove(box); box.focus(); } else if (scroller()) scroller().focus();
  }

  function more(box) {
    returning = { kind: box.dataset.more, known: new Set(boxes().map((each) => each.dataset.uid)), stage: box.dataset.stage };
    const address = box.href.baseVal.split("#")[0];
    window.htmx.ajax("GET", address, { target: "#around", swap: "innerHTML" }).then(function () {
      if (document.body.contains(box)) window.location.assign(box.href.baseVal);
      else history.pushState({ htmx: true }, "", withSelection(address));
    }, () => { returning = null; });
  }

  function withSelection(address) {
    const url = new URL(address, window.location.href);
    url.searchParams.delete("node");
    const uid = shown();
    const query = url.search.slice(1);
    if (!uid) return url.pathname + (query ? "?" + query : "");
    return url.pathname + "?" + (query ? query + "&" : "") + "node=" + encodeURIComponent(uid);
  }

  document.addEventListener("click", function (event) {
    if (!plain(event)) return;
    const box = event.target.closest("svg.picture a.box");
    if (box && window.htmx && box.dataset.uid && drawer()) { event.preventDefault(); open(box); return; }
    if (box && window.htmx && box.dataset.more && document.getElementById("around")) { event.preventDefault(); more(box); return; }
    if (event.target.closest("[data-closes-drawer]")) { event.preventDefault(); close(); return; }
    const sized = event.target.closest("[data-zoom]");
    if (sized) { zoomBy(sized.dataset.zoom); return; }
    const refocus = event.target.closest("[data-refocus]");
    if (refocus) { returning = { id: refocus.dataset.refocus }; return; }
    const png = event.target.closest("[data-png]");
    if (png) draw(png);
  });

  document.addEventListener("dblclick", function (event) {
    const box = event.target.closest("svg.picture a.box[data-root]");
    if (box && walks()) window.location.assign(box.dataset.root);
  });

  document.addEventListener("shortcuts:switched", () => rove());

  document.addEventListener("keydown", function (event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const box = event.target.closest("svg.picture a.box");
    if (event.key === "Escape") {
      const keys = event.target.closest(".keys[open]");
      if (keys) { keys.open = false; keys.querySelector("summary").focus(); event.preventDefault(); return; }
      if (drawer() && shown() && (box || event.target.closest("#drawer"))) { event.preventDefault(); close(); }
      return;
    }
    if (!walks() || !(box || event.target === scroller())) return;
    if (event.key === "+" || event.key === "=") { event.preventDefault(); zoomBy("in"); return; }
    if (event.key === "-") { event.preventDefault(); zoomBy("out"); return; }
    if (event.key === "0") { event.preventDefault(); zoomBy("fit"); return; }
    if (!box) return;
    if (event.key === "Enter" && event.shiftKey && box.dataset.root) { event.preventDefault(); window.location.assign(box.dataset.root); return; }
    if (event.shiftKey) return;
    const next = step(box, event.key);
    if (next === undefined) return;
    event.preventDefault();
    if (!next) return;
    if (event.key === "ArrowLeft" || event.key === "ArrowRight") came.set(place(next), place(box));
    rove(next);
    next.focus();
  });

  ["focusin", "pointerover"].forEach((name) => document.addEventListener(name, function (event) {
    const box = event.target.closest && event.target.closest("svg.picture .box");
    if (box) light(box, true);
    if (box && name === "focusin" && walks() && box.matches("a")) rove(box);
  }));
  ["focusout", "pointerout"].forEach((name) => document.addEventListener(name, function (event) {
    const box = event.target.closest && event.target.closest("svg.picture .box");
    if (box && (name === "focusout" || document.activeElement !== box)) light(box, false);
  }));

  /* What changes the picture keeps the selection, the size and the place. */
  document.addEventListener("htmx:configRequest", function (event) {
    if (!event.detail.target || event.detail.target.id !== "around") return;
    event.detail.path = withSelection(event.detail.path);
  });
  let kept = [0, 0];
  document.addEventListener("htmx:beforeSwap", function (event) {
    if (event.detail.target.id === "around" && scroller()) kept = [scroller().scrollLeft, scroller().scrollTop];
  });
  document.addEventListener("htmx:afterSwap", function (event) {
    if (event.detail.target.id !== "around") return;
    setUp();
    if (scroller()) { scroller().scrollLeft = kept[0]; scroller().scrollTop = kept[1]; }
    const wanted = returning;
    returning = null;
    if (!wanted) return;
    const fresh = wanted.id ? document.getElementById(wanted.id)
      : boxes().find((box) => box.dataset.stage === wanted.stage && box.dataset.uid && !wanted.known.has(box.dataset.uid));
    if (!fresh) return;
    if (fresh.matches(".box")) rove(fresh);
    fresh.focus();
  });

  /* PNG: the file that is offered as SVG, drawn at twice its size. */
  async function draw(button) {
    const link = button.parentElement.querySelector("[data-svg]");
    button.setAttribute("aria-busy", "true");
    try {
      const response = await fetch(link.href, { credentials: "same-origin" });
      if (!response.ok || !(response.headers.get("Content-Type") || "").startsWith("image/svg+xml")) throw new Error(String(response.status));
      const image = new Image();
      image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(await response.text());
      await image.decode();
      const scale = Math.min(2, LONGEST_SIDE / image.naturalWidth, LONGEST_SIDE / image.naturalHeight);
      const canvas = document.createElement("canvas");
      canvas.width = Math.round(image.naturalWidth * scale);
      canvas.height = Math.round(image.naturalHeight * scale);
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      const blob = await new Promise((done) => { canvas.toBlob(done, "image/png"); });
      const file = document.createElement("a");
      file.href = URL.createObjectURL(blob);
      file.download = link.getAttribute("download").replace(/\.svg$/, ".png");
      file.click();
      setTimeout(() => URL.revokeObjectURL(file.href), 10000);
    } catch {
      const said = document.getElementById("announcer");
      if (said) said.textContent = document.body.dataset.offline || "";
    }
    button.removeAttribute("aria-busy");
  }

  setUp();
  reveal(document.querySelector("svg.picture .box.selected") || document.querySelector("svg.picture .box.root"));
})();
