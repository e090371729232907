/* "Copy with citations": puts the answer on the clipboard as HTML and as Markdown at once.
   Without this script, or without a clipboard, the link opens what would have been copied. */
(function () {
  "use strict";

  if (!navigator.clipboard || !window.ClipboardItem) return;

  const say = (words) => {
    const said = document.getElementById("announcer");
    if (!said) return;
    said.textContent = words;
    window.setTimeout(() => { if (said.textContent === words) said.textContent = ""; }, 4000);
  };

  // As htmx asks for a part of a page: what is copied, without the page that shows it.
  const part = { "HX-Request": "true", "HX-Target": "copied" };

  const read = async (address, type) => {
    const response = await fetch(address, { credentials: "same-origin", headers: part });
    if (!response.ok) throw new Error(String(response.status));
    return new Blob([await response.text()], { type });
  };

  document.addEventListener("click", function (event) {
    const link = event.target.closest("a[data-copies]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    const item = new ClipboardItem({
      "text/html": read(link.href, "text/html"),
      "text/plain": read(link.dataset.copies, "text/plain"),
    });
    navigator.clipboard.write([item]).then(
      () => say(link.dataset.done),
      () => say(link.dataset.failed),
    );
  });
})();
