"use strict";
// Sorts tables by a click on a column, and searches them. Without it the page has all its rows, in their first order.
(() => {
  const MOST = 200; // rows that a search shows of a figure
  const tables = [...document.querySelectorAll("table")].map(table => {
    const bodies = [...table.tBodies];
    return {table, bodies, first: bodies[0].rows.length, rows: bodies.flatMap(body => [...body.rows])};
  });

  const collator = new Intl.Collator(undefined, {numeric: true});
  const key = (row, column, isNumber) => {
    const cell = row.cells[column], text = cell.textContent;
    if (text === "?" || text === "–") return null;
    return !isNumber ? text : parseFloat(cell.dataset.n ?? text.replace(/[,%]/g, ""));
  };
  const compare = (a, b) => typeof a === "number" && typeof b === "number" ? a - b : collator.compare(a, b);

  const sort = (each, heads, column) => {
    const head = heads[column], numbers = head.classList.contains("right");
    const was = head.ariaSort, falls = was ? was === "ascending" : numbers;
    for (const other of heads) other.ariaSort = null;
    head.ariaSort = falls ? "descending" : "ascending";
    const keyed = each.rows.map(row => [key(row, column, numbers), row]);
    keyed.sort(([a], [b]) => (a === null) - (b === null) || (a === null ? 0 : falls ? compare(b, a) : compare(a, b)));
    each.rows = keyed.map(([, row]) => row);
    for (const body of each.bodies) body.replaceChildren(); // to move rows that are in the document is slow
    each.bodies[0].append(...each.rows.slice(0, each.first));
    each.bodies[1]?.append(...each.rows.slice(each.first));
  };
  for (const each of tables) {
    const heads = [...each.table.querySelectorAll("th")];
    heads.forEach((head, column) => {
      const button = document.createElement("button");
      button.append(...head.childNodes);
      button.addEventListener("click", () => sort(each, heads, column));
      head.append(button);
    });
  }

  const lists = [
    ...[...document.querySelectorAll(".problems")].map(list => ({block: list, rows: [...list.children]})),
    ...tables.map(each => ({block: each.table.closest("figure"), rows: each.rows})).filter(each => each.block),
  ];
  const said = row => [...row.querySelectorAll("td, p")].map(each => each.textContent).join(" ").toLowerCase();
  const search = wanted => {
    document.body.classList.toggle("searching", wanted !== "");
    let all = 0;
    for (const {block, rows} of lists) {
      let found = 0;
      for (const row of rows) {
        const matches = (row.said ??= said(row)).includes(wanted);
        row.hidden = !matches || (wanted !== "" && found >= MOST);
        found += matches;
      }
      all += found;
      block.hidden = wanted !== "" && !found && !block.querySelector(".left");
    }
    for (const section of document.querySelectorAll("main > section"))
      section.hidden = wanted !== "" && !section.querySelector("figure:not([hidden]), .problems:not([hidden])");
    result.textContent = wanted === "" ? "" : `${all.toLocaleString("en")} found`;
  };
  const field = document.createElement("input"), result = document.createElement("output");
  Object.assign(field, {type: "search", placeholder: "Find a name", ariaLabel: "Find a broker, topic or group"});
  field.addEventListener("input", () => search(field.value.trim().toLowerCase()));
  document.querySelector("nav").append(field, result);
})();
