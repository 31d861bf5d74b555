// Shown when the server wants a token, or another one.

import { forgetToken, keepToken } from './api.js';
import { h, replace } from './dom.js';

export function askForToken(main, failure, again) {
  forgetToken();
  const field = h('input', { id: 'token', type: 'password', autocomplete: 'off', spellcheck: 'false', required: true });
  const remember = h('input', { id: 'remember', type: 'checkbox' });
  const submit = (event) => {
    event.preventDefault();
    keepToken(field.value.trim(), remember.checked);
    again();
  };
  replace(main, h('section', { class: 'notice' },
    h('h1', null, 'A token, please'),
    h('p', null, 'What your agents did is yours alone. ', failure.status === 403
      ? 'This token may not read it.' : 'The server lets in whoever has a token.'),
    h('p', null, 'The server printed an address with one when it started. Or make another:'),
    h('pre', null, h('code', null, 'stele token create browser')),
    h('form', { class: 'token', onsubmit: submit },
      h('label', { for: 'token' }, 'Token'), field,
      h('label', { class: 'check' }, remember, 'Remember it in this browser'),
      h('button', { class: 'primary', type: 'submit' }, 'Open'))));
  field.focus();
}
