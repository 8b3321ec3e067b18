'use strict';

// Swagger UI has dark colours under this class; the reader's system says whether to use them.
const dark = window.matchMedia('(prefers-color-scheme: dark)');
const followSystem = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', followSystem);
followSystem();

SwaggerUIBundle({
  url: 'openapi.json',
  domNode: document.getElementById('reference'),
  layout: 'BaseLayout',
  deepLinking: true,
  docExpansion: 'list',
  displayRequestDuration: true,
  showCommonExtensions: true,
  tryItOutEnabled: true,
  // A key that is pasted under Authorize lives as long as the page.
  persistAuthorization: false,
  // Nothing is sent to anybody but this service.
  validatorUrl: null,
});
