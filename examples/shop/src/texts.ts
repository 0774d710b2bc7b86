/** What the shop says, by language. Texts of handlers go through `chat.t`; a flow is made once a language. */

const es = {
  "shop.hello": "👋 ¡Hola!",
  "shop.menu": "¿Qué hacemos?",
  "shop.menu.sign-up": "Registrarme",
  "shop.menu.order": "Hacer un pedido",
  "shop.menu.survey": "Opinar",
  "shop.menu.human": "Hablar con una persona",
  "shop.help": [
    "Escribe: registrar, pedido, encuesta, humano o menú.",
    "/reset deja lo que estés haciendo, /en y /es cambian el idioma."
  ].join("\n"),
  "shop.reset": "Empezamos de nuevo.",
  "shop.reset.nothing": "No había nada a medias.",
  "shop.language": "Hablemos en español.",
  "shop.unknown": "No te entendí. Escribe «menú» o /help.",
  "shop.order.state": "El pedido {number} va en camino.",
  "shop.human": "Te paso con una persona. Para volver conmigo: /bot",
  "shop.bot": "Aquí estoy otra vez.",
  "shop.pay": "No se pudo cobrar ({code}). No se te ha cargado nada.",
  "shop.survey.liked": "¿Qué te gustó de la tienda?",
  "shop.survey.stars": "¿Cuántas estrellas nos das, de 1 a 5?",
  "shop.survey.why": "Lo sentimos. ¿Qué podemos mejorar?",
  "shop.survey.thanks": "¡Gracias! Has dado {stars} de 5.",
  "shop.survey.idle": "Cuando puedas: tu opinión nos ayuda."
}

const en: Record<keyof typeof es, string> = {
  "shop.hello": "👋 Hello!",
  "shop.menu": "What shall we do?",
  "shop.menu.sign-up": "Sign me up",
  "shop.menu.order": "Order something",
  "shop.menu.survey": "Tell you what I think",
  "shop.menu.human": "Talk to a person",
  "shop.help": [
    "Write: sign up, order, survey, human or menu.",
    "/reset leaves what you are in the middle of, /en and /es change the language."
  ].join("\n"),
  "shop.reset": "Let us start again.",
  "shop.reset.nothing": "There was nothing to leave.",
  "shop.language": "Let us speak English.",
  "shop.unknown": "I did not get that. Write “menu” or /help.",
  "shop.order.state": "Order {number} is on its way.",
  "shop.human": "I am handing you to a person. To come back to me: /bot",
  "shop.bot": "Here I am again.",
  "shop.pay": "The payment failed ({code}). You were not charged.",
  "shop.survey.liked": "What did you like about the shop?",
  "shop.survey.stars": "How many stars do you give us, from 1 to 5?",
  "shop.survey.why": "We are sorry. What can we do better?",
  "shop.survey.thanks": "Thank you! You gave {stars} out of 5.",
  "shop.survey.idle": "Whenever you can: your opinion helps us."
}

export const texts = { es, en }

/** The questions of the sign-up. */
export const signUpTexts = {
  es: {
    name: "¿Tu nombre?",
    age: "¿Tu edad?",
    ageAgain: "Entre 18 y 99, por favor",
    plan: "¿Plan?",
    idle: "¿Sigues ahí? Te espero.",
    done: (name: string, plan: string) => `Listo, ${name}: ${plan}`
  },
  en: {
    name: "Your name?",
    age: "Your age?",
    ageAgain: "Between 18 and 99, please",
    plan: "Plan?",
    idle: "Are you still there? I am waiting.",
    done: (name: string, plan: string) => `Done, ${name}: ${plan}`
  }
}
export type SignUpTexts = (typeof signUpTexts)["es"]

/** What an order asks and says. */
export const orderTexts = {
  es: {
    product: "¿Qué te llevas?",
    coffee: "Café",
    tea: "Té",
    cocoa: "Cacao",
    amount: "¿Cuántos paquetes? (1–20)",
    company: "Son muchos: ¿a nombre de qué empresa va la factura?",
    address: "¿Dónde los entregamos?",
    confirm: (summary: string) => `${summary}. ¿Lo pido?`,
    yes: "Sí",
    no: "No",
    done: "¡Pedido! Te avisamos cuando salga.",
    dropped: "Vale, no pido nada."
  },
  en: {
    product: "What will it be?",
    coffee: "Coffee",
    tea: "Tea",
    cocoa: "Cocoa",
    amount: "How many packets? (1–20)",
    company: "That is a lot: which company is the invoice for?",
    address: "Where do we deliver them?",
    confirm: (summary: string) => `${summary}. Shall I order it?`,
    yes: "Yes",
    no: "No",
    done: "Ordered! We will tell you when it leaves.",
    dropped: "All right, I order nothing."
  }
}
export type OrderTexts = (typeof orderTexts)["es"]
