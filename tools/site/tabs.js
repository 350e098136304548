// Makes tabs of divisions that follow each other and show the same in several languages. A choice holds for all of
// them, and for the pages that come next. Without this script all divisions are shown.
"use strict";

(() => {
  const key = "sdp-language";
  const remembered = () => {
    try {
      return localStorage.getItem(key);
    } catch {
      return null; // a browser that stores nothing
    }
  };
  const groups = [];

  const choose = (group, language, focus) => {
    if (!group.some((one) => one.language === language)) return;
    for (const { tab, panel, language: own } of group) {
      const isChosen = own === language;
      tab.setAttribute("aria-selected", String(isChosen));
      tab.tabIndex = isChosen ? 0 : -1;
      panel.hidden = !isChosen;
      if (isChosen && focus) tab.focus();
    }
  };

  const chooseAll = (language, from) => {
    // The tab stays where it is on the screen, however the panels above it change.
    const before = from.getBoundingClientRect().top;
    for (const group of groups) choose(group, language);
    window.scrollBy({ top: from.getBoundingClientRect().top - before, behavior: "instant" });
    try {
      localStorage.setItem(key, language);
    } catch {
      // The choice holds for this page.
    }
  };

  const grouped = (first) => {
    const group = [];
    const list = document.createElement("div");
    list.setAttribute("role", "tablist");
    list.setAttribute("aria-label", "Language");
    list.className = "tabs";
    for (let panel = first; panel?.matches?.(".language"); panel = panel.nextElementSibling) {
      const number = `${groups.length}-${group.length}`;
      const tab = document.createElement("button");
      tab.type = "button";
      tab.setAttribute("role", "tab");
      tab.id = `tab-${number}`;
      tab.textContent = panel.dataset.language;
      panel.id = `panel-${number}`;
      tab.setAttribute("aria-controls", panel.id);
      panel.setAttribute("role", "tabpanel");
      panel.setAttribute("aria-labelledby", tab.id);
      tab.addEventListener("click", () => chooseAll(panel.dataset.language, tab));
      tab.addEventListener("keydown", (event) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (step === undefined) return;
        event.preventDefault();
        event.stopPropagation(); // arrows turn mdBook's pages
        const next = group[(group.findIndex((one) => one.tab === tab) + step + group.length) % group.length];
        choose(group, next.language, true);
        chooseAll(next.language, next.tab);
      });
      list.append(tab);
      group.push({ tab, panel, language: panel.dataset.language });
    }
    first.before(list);
    groups.push(group);
    choose(group, group[0].language);
    choose(group, remembered());
  };

  // A link to a place within a panel shows the panel.
  const follow = () => {
    const place = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const panel = place && place.closest(".language");
    if (!panel) return;
    for (const group of groups) {
      if (group.some((one) => one.panel === panel)) choose(group, panel.dataset.language);
    }
    place.scrollIntoView();
  };

  for (const first of document.querySelectorAll(".language")) {
    if (!first.previousElementSibling?.matches(".language")) grouped(first);
  }
  follow();
  window.addEventListener("hashchange", follow);
})();
