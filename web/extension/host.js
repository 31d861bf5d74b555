// Stele on this computer: one message, one answer {status: "ok" | "error" | "filtered", error, reason}.

export async function ask(message) {
  try {
    return await chrome.runtime.sendNativeMessage('stele', message);
  } catch (error) { // it is not set up, or has ended
    return { status: 'error', error: error.message };
  }
}
