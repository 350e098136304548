// The search over names, which needs nothing but these files. Names are text of schemas: they
// go into the page as text alone.
"use strict";
{
  const box = document.querySelector(".search");
  const input = document.getElementById("query");
  const results = document.getElementById("results");
  const most = 30;
  let selected = -1;

  const load = () => {
    if (document.getElementById("index")) return;
    const script = document.createElement("script");
    script.id = "index";
    script.src = "./index.js";
    script.addEventListener("load", search);
    document.head.append(script);
  };

  // rank says how well a name fits, smaller is better; -1 is not at all.
  const rank = (name, words) => {
    const last = name.slice(name.lastIndexOf(".") + 1);
    let sum = 0;
    for (const word of words) {
      if (last === word) continue;
      if (last.startsWith(word)) sum += 1;
      else if (last.includes(word)) sum += 3;
      else if (name.includes(word)) sum += 6;
      else return -1;
    }
    return sum * 1000 + name.length;
  };

  function search() {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    selected = -1;
    input.removeAttribute("aria-activedescendant");
    if (words.length === 0 || typeof searchIndex === "undefined") return close();
    const found = [];
    for (const entry of searchIndex) {
      let fit = rank(entry[0].toLowerCase(), words);
      if (fit < 0 && words.every((word) => entry[3].toLowerCase().includes(word))) fit = 50000 + entry[0].length;
      if (fit >= 0) found.push([fit, entry]);
    }
    found.sort((a, b) => a[0] - b[0]);
    const rows = found.slice(0, most).map(([, [name, kind, href, about]], i) => {
      const row = document.createElement("li");
      row.id = `found-${i}`;
      row.setAttribute("role", "option");
      row.setAttribute("aria-selected", "false");
      row.dataset.href = href;
      for (const [part, text] of [["what", kind], ["name", name], ["about", about]]) {
        if (!text) continue;
        const span = document.createElement("span");
        span.className = part;
        span.textContent = text;
        row.append(span);
      }
      row.addEventListener("pointerdown", (event) => {
        event.preventDefault();
        open(row);
      });
      return row;
    });
    if (rows.length === 0) {
      const none = document.createElement("li");
      none.setAttribute("role", "option");
      none.setAttribute("aria-disabled", "true");
      none.textContent = "Nothing has such a name.";
      rows.push(none);
    }
    results.replaceChildren(...rows);
    results.hidden = false;
    input.setAttribute("aria-expanded", "true");
    if (found.length > 0) select(0);
  }

  function close() {
    results.hidden = true;
    results.replaceChildren();
    input.setAttribute("aria-expanded", "false");
  }

  function select(i) {
    const rows = results.querySelectorAll("li[data-href]");
    if (rows.length === 0) return;
    rows[selected]?.setAttribute("aria-selected", "false");
    selected = (i + rows.length) % rows.length;
    rows[selected].setAttribute("aria-selected", "true");
    rows[selected].scrollIntoView({ block: "nearest" });
    input.setAttribute("aria-activedescendant", rows[selected].id);
  }

  function open(row) {
    close();
    input.value = "";
    input.blur();
    location.href = row.dataset.href;
  }

  if (box) {
    box.hidden = false;
    input.addEventListener("focus", load);
    input.addEventListener("input", () => {
      load();
      search();
    });
    input.addEventListener("blur", close);
    input.addEventListener("keydown", (event) => {
      if (event.key === "ArrowDown") select(selected + 1);
      else if (event.key === "ArrowUp") select(selected - 1);
      else if (event.key === "Enter" && selected >= 0) open(results.querySelectorAll("li[data-href]")[selected]);
      else if (event.key === "Escape") {
        input.value = "";
        input.blur();
      } else return;
      event.preventDefault();
    });
    document.addEventListener("keydown", (event) => {
      const typing = event.target instanceof HTMLInputElement || event.ctrlKey || event.metaKey || event.altKey;
      if (event.key !== "/" || typing) return;
      event.preventDefault();
      input.focus();
    });
  }
}
