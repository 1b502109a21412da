// The code of an invitation stands behind the # of the link, which no browser sends: put it into the form.
const field = document.querySelector("input[name=code]");
const code = decodeURIComponent(location.hash.slice(1));
if (field && code) {
  history.replaceState(null, "", location.pathname);
  field.value = code;
  field.form.requestSubmit();
}
