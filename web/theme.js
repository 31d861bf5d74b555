// Before anything is drawn: the colours that were chosen last; without a choice those of the system.
{
  const system = matchMedia('(prefers-color-scheme: dark)');
  const apply = () => {
    document.documentElement.dataset.theme = localStorage.getItem('stele.theme') ?? (system.matches ? 'dark' : 'light');
    document.dispatchEvent(new Event('themechange'));
  };
  system.addEventListener('change', apply);
  document.addEventListener('themechosen', apply);
  apply();
}
