// Who leaves a page is asked, if text would be lost: what was typed into a form that would be sent by POST and was not, and what the server
// gave back in a form[data-unsaved], because it was not saved.
import { changed } from "./dom.js";
import { free } from "./small.js";

const unsent = (form) => form?.method === "post" && !("sent" in form.dataset);

function lost() {
  return [...document.querySelectorAll("form[data-unsaved]")].some(unsent) || [...document.querySelectorAll("textarea")].some((t) => unsent(t.form) && changed(t));
}

addEventListener("beforeunload", (e) => {
  if (!lost()) return;
  e.preventDefault();
  const sent = document.querySelectorAll("form[data-sent]"); // not those that are sent before the timer comes
  setTimeout(() => free(sent)); // who stays can send again what was about to be sent
});
