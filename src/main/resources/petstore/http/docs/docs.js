'use strict';

// With this class, Swagger UI has dark colours. The reader's system chooses.
const dark = window.matchMedia('(prefers-color-scheme: dark)');
const followSystem = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', followSystem);
followSystem();

/** Returns indented JSON, with each number as it was sent: a JavaScript number has 53 bits, an id has 64. */
const exactLines = (json) => JSON.stringify(
  JSON.parse(json, (_key, value, { source }) => (typeof value === 'number' ? JSON.rawJSON(source) : value)), null, 2);

/** Moves the example of an optional parameter to its description: Swagger UI would send it unless the reader removes it. */
const describeExample = (parameter) => {
  const example = parameter?.get('example');
  return example === undefined || parameter.get('required')
    ? parameter
    : parameter.delete('example').update('description', (text) => `${text} Example: \`${example}\``);
};

const SPAN = /`([^`]+)`|\*\*(.+?)\*\*|\[([^\]]+)\]\((https?:[^)\s]+)\)/g;

/** Returns the elements of a line of Markdown: code, bold text and links. Other characters stay as they are. */
const spans = (h, line) => {
  const parts = [];
  let end = 0;
  for (const { 0: all, 1: code, 2: bold, 3: label, 4: href, index } of line.matchAll(SPAN)) {
    parts.push(line.slice(end, index));
    parts.push(code ? h('code', null, code)
      : bold ? h('strong', null, ...spans(h, bold))
        : h('a', { href, target: '_blank', rel: 'noopener noreferrer' }, ...spans(h, label)));
    end = index + all.length;
  }
  return [...parts, line.slice(end)];
};

/** Returns a paragraph or a list. */
const block = (h, text) => (text.startsWith('- ')
  ? h('ul', null, ...text.split(/^- /m).slice(1).map((item) => h('li', null, ...spans(h, item.trim()))))
  : h('p', null, ...spans(h, text)));

/** Changes Swagger UI where it is inexact, too long, or not accessible. */
const improvements = ({ React: { createElement: h } }) => ({
  statePlugins: {
    spec: {
      wrapSelectors: {
        parameterWithMetaByIdentity: (original) => (_state, ...args) => describeExample(original(...args)),
      },
    },
  },
  components: {
    // A link would be a control inside the button of its operation.
    DeepLink: ({ text }) => h('span', null, text),
  },
  wrapComponents: {
    // Swagger UI's own component sets innerHTML, which the Content-Security-Policy forbids.
    Markdown: () => ({ source }) => (source
      ? h('div', { className: 'renderedMarkdown' }, ...source.trim().split(/\n\s*\n/).map((each) => block(h, each)))
      : null),
    // Readers look for the operations first.
    InfoContainer: (Original) => (props) => h('details', { className: 'wrapper about' },
      h('summary', null, 'About this API'), h(Original, props)),
    responseBody: (Original, { getComponent }) => (props) => {
      const isJson = /json/i.test(props.contentType) && typeof props.content === 'string' && JSON.rawJSON !== undefined;
      if (!isJson) {
        return h(Original, props);
      }
      return h('div', null, h('h5', null, 'Response body'),
        h(getComponent('HighlightCode', true), { language: 'json', downloadable: true, fileName: 'response.json' },
          exactLines(props.content)));
    },
  },
});

/** Names the controls that Swagger UI leaves without a label. */
const nameControls = (reference) => reference.querySelectorAll('select, textarea, input, .close-modal').forEach((field) => {
  if (field.matches('.close-modal')) {
    field.ariaLabel = 'Close';
    return;
  }
  const isNamed = [...field.labels].some((label) => !(field.tagName === 'SELECT' && label.contains(field)) && label.innerText.trim() !== '');
  if (!field.ariaLabel && !isNamed) {
    field.ariaLabel = field.id === 'servers'
      ? 'Server'
      : field.closest('tr')?.dataset.paramName ?? (field.tagName === 'TEXTAREA' ? 'Request body' : 'Example or media type');
  }
});
/** Closes the gap between the heading of the page and those of Swagger UI, and makes the parts around its main part landmarks. */
const structure = (reference) => {
  reference.querySelectorAll('h3, h4, h5').forEach((heading) => { heading.ariaLevel = String(Number(heading.tagName[1]) - 1); });
  Object.entries({ '.information-container': 'About this API', '.scheme-container': 'Server and API key' }).forEach(([selector, label]) => {
    const part = reference.querySelector(selector);
    part?.setAttribute('role', 'region');
    part?.setAttribute('aria-label', label);
  });
};
const reference = document.getElementById('reference');
new MutationObserver(() => {
  nameControls(reference);
  structure(reference);
}).observe(reference, { childList: true, subtree: true });

SwaggerUIBundle({
  url: 'openapi.json',
  domNode: reference,
  layout: 'BaseLayout',
  plugins: [improvements],
  syntaxHighlight: { theme: 'tomorrow-night' },
  deepLinking: true,
  docExpansion: 'list',
  displayRequestDuration: true,
  showCommonExtensions: true,
  tryItOutEnabled: true,
  // A key pasted under Authorize is kept only until the page is closed.
  persistAuthorization: false,
  // No other service gets any data.
  validatorUrl: null,
});
