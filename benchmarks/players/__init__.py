"""How strong the opponent is: sparring partners, tournaments, and learning the evaluation."""
